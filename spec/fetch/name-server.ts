import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type Answer, decode, encode, type RecordType } from 'dns-packet'

export interface NameServer {
  /** As resolvers take it. */
  readonly address: string
  /** Type and name of each question, in the order in which they came. */
  readonly asked: string[]
  close(): void
}

/** What a name has: addresses of each version, or how it goes wrong. Other names do not exist. */
export type Zone = Readonly<Record<string, { readonly A?: string; readonly AAAA?: string } | 'fails' | 'silent' | 'silent for AAAA'>>

const responseCodes = { ok: 0, failed: 2, noSuchName: 3 } // RFC 1035 §4.1.1

/** A name server on loopback, over UDP. */
export async function startNameServer(zone: Zone): Promise<NameServer> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (message, { address, port }) => {
    const { id, questions } = decode(message)
    const [{ name, type } = { name: '', type: 'A' as RecordType }] = questions ?? []
    asked.push(`${type} ${name}`)
    const entry = zone[name]
    if (entry === 'silent' || (entry === 'silent for AAAA' && type === 'AAAA')) return
    const data = entry === 'silent for AAAA' ? '192.0.2.7' : typeof entry === 'object' ? entry[type as 'A' | 'AAAA'] : undefined
    const code = entry === undefined ? responseCodes.noSuchName : entry === 'fails' ? responseCodes.failed : responseCodes.ok
    const answers = data === undefined ? [] : [{ type, name, ttl: 60, data } as Answer]
    socket.send(encode({ type: 'response', id: id ?? 0, flags: code, questions: questions ?? [], answers }), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { address: `127.0.0.1:${socket.address().port}`, asked, close: () => void socket.close() }
}
