import type { Socket } from 'node:net'

/** Calls `answer` with the target of each request on a connection, as soon as its head is whole. Requests have no bodies here. */
export function onRequests(socket: Socket, answer: (target: string) => void): void {
  let unread = ''
  socket.on('end', () => socket.end())
  socket.on('data', chunk => {
    unread += chunk.toString('latin1')
    for (let end = unread.indexOf('\r\n\r\n'); end >= 0; end = unread.indexOf('\r\n\r\n')) {
      const target = unread.slice(unread.indexOf(' ') + 1, unread.indexOf(' ', unread.indexOf(' ') + 1))
      unread = unread.slice(end + 4)
      answer(target)
    }
  })
}

/** A whole answer of status 200. */
export function okAnswer(contentType: string, body: string | Uint8Array): Buffer {
  const bytes = Buffer.from(body)
  const head = `HTTP/1.1 200 OK\r\nContent-Type: ${contentType}\r\nContent-Length: ${bytes.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), bytes])
}

export const notFound = Buffer.from('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')
