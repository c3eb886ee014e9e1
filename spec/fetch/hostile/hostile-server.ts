import { listenOnLoopback } from '../../../pipelines/loopback-listener.js'
import { type Misbehaviour, page } from './misbehaviour.js'

export interface HostileServer {
  readonly origin: string
  /** Targets of the requests, in order. */
  readonly targets: readonly string[]
  openSockets(): number
  close(): Promise<void>
}

/** Plays each misbehaviour at the path of its number; `/good` is a good page, robots.txt is missing. */
export async function startHostileServer(plays: readonly Misbehaviour[], hosts: readonly string[] = ['127.0.0.1']): Promise<HostileServer> {
  const targets: string[] = []
  const counts = new Map<string, number>()
  const listener = await listenOnLoopback({
    hosts,
    onConnection(socket) {
      let unread = ''
      socket.on('end', () => socket.end())
      socket.on('data', chunk => {
        unread += chunk.toString('latin1')
        for (let end = unread.indexOf('\r\n\r\n'); end >= 0; end = unread.indexOf('\r\n\r\n')) {
          const target = unread.split(' ', 2)[1] ?? ''
          unread = unread.slice(end + 4)
          targets.push(target)
          const nth = (counts.get(target) ?? 0) + 1
          counts.set(target, nth)
          const play = plays[Number(/^\/(\d+)/.exec(target)?.[1])]
          if (play !== undefined) play.play(socket, { target, nth, origin: `http://127.0.0.1:${listener.port}` })
          else if (target.startsWith('/good')) socket.write(page('good'))
          else socket.write('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')
        }
      })
    },
  })
  return { origin: `http://127.0.0.1:${listener.port}`, targets, openSockets: listener.openSockets, close: listener.close }
}
