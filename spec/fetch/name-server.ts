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

/** What is known of a name. */
export interface ZoneEntry {
  readonly A?: string
  readonly AAAA?: string
  /** Another name that it stands for; the answer says so and nothing more. */
  readonly CNAME?: string
  /** The server is at fault. */
  readonly fails?: boolean
  /** Types that are not answered. */
  readonly silentFor?: readonly string[]
  /** Questions of each type that go unanswered before the first that is. */
  readonly unanswered?: number
  /** How much later the IPv4 address comes, ms. */
  readonly delayMs?: number
}

const responseCodes = { ok: 0, failed: 2, noSuchName: 3 } // RFC 1035 §4.1.1

/** A name server on loopback, over UDP. Names that are not in the zone do not exist. */
export async function startNameServer(zone: Readonly<Record<string, ZoneEntry>>): Promise<NameServer> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (message, { address, port }) => {
    const { id = 0, questions = [] } = decode(message)
    const [{ name, type } = { name: '', type: 'A' as RecordType }] = questions
    asked.push(`${type} ${name}`)
    const entry = zone[name]
    if (entry?.silentFor?.includes(type)) return
    if (asked.filter(question => question === `${type} ${name}`).length <= (entry?.unanswered ?? 0)) return
    const flags = entry === undefined ? responseCodes.noSuchName : entry.fails ? responseCodes.failed : responseCodes.ok
    const response = encode({ type: 'response', id, flags, questions, answers: answersOf(name, type, entry) })
    if (type === 'A' && entry?.delayMs !== undefined) setTimeout(() => socket.send(response, port, address), entry.delayMs)
    else socket.send(response, port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { address: `127.0.0.1:${socket.address().port}`, asked, close: () => void socket.close() }
}

function answersOf(name: string, type: RecordType, entry: ZoneEntry | undefined): Answer[] {
  const data = type === 'A' || type === 'AAAA' ? entry?.[type] : undefined
  const alias = entry?.CNAME
  return [
    ...(alias === undefined ? [] : [{ type: 'CNAME', name, ttl: 60, data: alias } as Answer]),
    ...(data === undefined ? [] : [{ type, name: alias ?? name, ttl: 60, data } as Answer]),
  ]
}
