import { rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { CrawlError, messageOf } from '../errors/crawl-error.js'
import type { Logger } from '../log/logger.js'
import { encodeFrame, type FrameKind, FrameReader } from './frames.js'
import { type ControlRequest, parseControlRequest } from './request.js'
import { socketName, withSocketPath } from './socket-path.js'

/** What a command that runs for another process has in place of this process's own. */
export interface RemoteStreams {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  /** Aborted when the asker has gone. */
  readonly gone: AbortSignal
}

/** Runs the request; gives the exit status. */
export type AnswerRequest = (request: ControlRequest, streams: RemoteStreams) => Promise<number>

export interface ControlServer {
  /** Takes nothing new, ends what only reads, waits for the rest, and removes the socket. */
  close(): Promise<void>
}

/**
 * Listens on `DIR/control.sock` for commands of other processes. The caller holds the db, so a socket that stands there is a dead one's. It can be
 * opened by its owner only: it never has other rights, not even for a moment. (many-level and rave-level serve abstract-level 1 and hand out raw
 * writes, which would go past the commit queue and the indexes.)
 */
export async function listenForCommands(folder: string, answer: AnswerRequest, log: Logger): Promise<ControlServer> {
  const sockets = new Set<Socket>()
  const running = new Set<Promise<void>>()
  const server = createServer(socket => {
    sockets.add(socket)
    const served = serve(socket, answer, log).finally(() => sockets.delete(socket))
    running.add(served)
    served.finally(() => running.delete(served))
  })
  await rm(join(folder, socketName), { force: true })
  await withSocketPath(folder, path => listenAsOwner(server, path))
  server.unref()
  return {
    async close() {
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      for (const socket of sockets) socket.emit('holderEnds')
      await Promise.all(running)
      await closed
      await rm(join(folder, socketName), { force: true })
    },
  }
}

/** The socket is bound within the call, so the mask of this process is another for that moment only. */
function listenAsOwner(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    const mask = process.umask(0o177)
    try {
      server.listen(path, () => {
        server.off('error', reject)
        server.on('error', () => undefined) // a connection that could not be taken: its asker is told by the system
        resolve()
      })
    } finally {
      process.umask(mask)
    }
  })
}

/** One connection: one request. */
async function serve(socket: Socket, answer: AnswerRequest, log: Logger): Promise<void> {
  const gone = new AbortController()
  const send = (kind: FrameKind, bytes?: Uint8Array | string): Promise<void> => sendFrame(socket, kind, bytes)
  const stdin = new Readable({ read: () => void send('want') })
  const closed = new Promise<void>(resolve => socket.once('close', resolve))
  const endReads = (message: string) => (): void => {
    const reason = new CrawlError('CONTROL_FAILED', message)
    gone.abort(reason)
    if (!stdin.readableEnded) stdin.destroy(reason)
  }
  stdin.on('error', () => undefined) // whoever reads it gets it
  socket.once('close', endReads('the asker has gone'))
  socket.once('holderEnds', endReads('the process that holds the db is ending'))
  socket.on('error', error => log.debug({ reason: messageOf(error) }, 'control connection'))
  try {
    const request = await readRequest(socket, stdin)
    if (request === undefined) return
    const streams = { stdin, stdout: frameStream(socket, 'out'), stderr: frameStream(socket, 'err'), gone: gone.signal }
    const status = await answer(request, streams)
    await send('exit', JSON.stringify({ status }))
    socket.end()
    await closed
  } catch (error) {
    log.warn({ reason: messageOf(error) }, 'control request')
  } finally {
    socket.destroy()
  }
}

/** Resolves with the request, undefined if the asker goes before it is whole; what comes after it is the asker's stdin. */
function readRequest(socket: Socket, stdin: Readable): Promise<ControlRequest | undefined> {
  const reader = new FrameReader()
  return new Promise((resolve, reject) => {
    socket.once('close', () => resolve(undefined))
    socket.on('data', (chunk: Buffer) => {
      try {
        for (const { kind, bytes } of reader.push(chunk)) {
          if (kind === 'ask') resolve(parseControlRequest(bytes))
          else if (kind === 'input') stdin.push(bytes)
          else if (kind === 'inputEnd') stdin.push(null)
        }
      } catch (error) {
        reject(error)
        socket.destroy()
      }
    })
  })
}

function frameStream(socket: Socket, kind: 'out' | 'err'): Writable {
  return new Writable({
    decodeStrings: true,
    write(chunk: Buffer, _encoding, done) {
      sendFrame(socket, kind, chunk).then(() => done(), done)
    },
  })
}

/** Resolves when the system has taken it, also if nobody is there any more: what a gone asker does not see is nobody's failure. */
function sendFrame(socket: Socket, kind: FrameKind, bytes?: Uint8Array | string): Promise<void> {
  return new Promise(resolve => {
    if (socket.destroyed || socket.writableEnded) resolve()
    else socket.write(encodeFrame(kind, bytes), () => resolve())
  })
}
