import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { systemCodeOf } from '../lib/errors/crawl-error.js'

export interface LoopbackOptions {
  /** Addresses of 127.0.0.0/8, all served on one port. */
  readonly hosts: readonly string[]
  /** 0 takes a free one. @defaultValue 0 */
  readonly port?: number
  /** Takes each connection; `host` is the address it was made to. */
  readonly onConnection: (socket: Socket, host: string) => void
}

export interface LoopbackListener {
  readonly port: number
  /** The hosts that this machine has: outside Linux only 127.0.0.1 may answer without set-up. */
  readonly hosts: readonly string[]
  /** Connections open now. */
  openSockets(): number
  /** Ends every connection, then the listeners. */
  close(): Promise<void>
}

const attempts = 20

/** Listens on several loopback addresses with one port. Addresses that the machine does not have are left out.
 *  @throws the system's error if the port is taken, or none of the hosts can be had */
export async function listenOnLoopback({ hosts, port = 0, onConnection }: LoopbackOptions): Promise<LoopbackListener> {
  const sockets = new Set<Socket>()
  const accept = (host: string) => (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    onConnection(socket, host)
  }
  const servers = await listenOnAll(hosts, port, accept)
  const [first] = servers.values()
  const address = first?.address()
  if (typeof address !== 'object' || address === null) throw new Error('no loopback address to listen on')
  return {
    port: address.port,
    hosts: [...servers.keys()],
    openSockets: () => sockets.size,
    async close() {
      const closed = [...sockets].map(socket => once(socket.destroy(), 'close'))
      await closeAll(servers.values())
      await Promise.all(closed)
    },
  }
}

type Accept = (host: string) => (socket: Socket) => void

/** A free port of the first host may be taken on another: then all try again with the next free one. */
async function listenOnAll(hosts: readonly string[], port: number, accept: Accept): Promise<Map<string, Server>> {
  for (let attempt = 1; ; attempt++) {
    const servers = new Map<string, Server>()
    try {
      await listenOnEach(hosts, port, accept, servers)
      return servers
    } catch (error) {
      await closeAll(servers.values())
      if (port !== 0 || attempt === attempts || systemCodeOf(error) !== 'EADDRINUSE') throw error
    }
  }
}

async function listenOnEach(hosts: readonly string[], port: number, accept: Accept, servers: Map<string, Server>): Promise<void> {
  let common = port
  for (const host of hosts) {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, accept(host))
    try {
      common = await listen(server, host, common)
      servers.set(host, server)
    } catch (error) {
      if (systemCodeOf(error) !== 'EADDRNOTAVAIL' || (host === hosts.at(-1) && servers.size === 0)) throw error
    }
  }
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

async function closeAll(servers: Iterable<Server>): Promise<void> {
  await Promise.all([...servers].map(server => new Promise<void>(resolve => server.close(() => resolve()))))
}
