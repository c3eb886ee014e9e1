import { connect, type Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { CrawlError, systemCodeOf } from '../errors/crawl-error.js'
import { encodeFrame, type Frame, FrameReader } from './frames.js'
import type { ControlRequest } from './request.js'
import { withSocketPath } from './socket-path.js'

export interface AskerStreams {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  readonly signal?: AbortSignal
}

/** No process listens there: the folder or the socket is not there, or a dead process left it. */
const nobody = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR', 'ENOTSOCK'])

/**
 * Has the process that holds the db of `folder` run a command, with this process's streams. @returns its exit status, undefined if none listens
 * @throws {CrawlError} CONTROL_FAILED if it may not be asked, or goes before it has answered
 */
export async function askHolder(folder: string, request: ControlRequest, streams: AskerStreams): Promise<number | undefined> {
  const socket = await withSocketPath(folder, connectTo).catch(error => {
    const code = systemCodeOf(error) ?? ''
    if (nobody.has(code)) return undefined
    const reason = code === 'EACCES' || code === 'EPERM' ? 'belongs to another user' : code
    throw new CrawlError('CONTROL_FAILED', `the process that holds ${folder} cannot be asked: ${reason}`, { cause: error })
  })
  if (socket === undefined) return undefined
  const { signal } = streams
  const leave = (): void => void socket.destroy()
  signal?.addEventListener('abort', leave, { once: true })
  try {
    return await converse(socket, request, streams)
  } finally {
    signal?.removeEventListener('abort', leave)
    socket.destroy()
  }
}

function connectTo(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })
}

async function converse(socket: Socket, request: ControlRequest, { stdin, stdout, stderr, signal }: AskerStreams): Promise<number> {
  const reader = new FrameReader()
  const input = stdin[Symbol.asyncIterator]()
  let hasBegun = false
  socket.write(encodeFrame('ask', JSON.stringify(request)))
  const sendInput = async (): Promise<void> => {
    hasBegun = true
    const { done, value } = await input.next()
    if (!socket.destroyed) socket.write(done === true ? encodeFrame('inputEnd') : encodeFrame('input', value as Buffer)) // no encoding is set
  }
  const take = async ({ kind, bytes }: Frame): Promise<number | undefined> => {
    if (kind === 'exit') return statusOf(bytes)
    if (kind === 'want') sendInput().catch(error => socket.destroy(error instanceof Error ? error : undefined))
    else if (kind === 'out') await written(stdout, bytes)
    else if (kind === 'err') await written(stderr, bytes)
    return undefined
  }
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      for (const frame of reader.push(chunk)) {
        const status = await take(frame)
        if (status !== undefined) return status
      }
    }
  } catch (error) {
    if (error instanceof CrawlError) throw error
    signal?.throwIfAborted()
    throw new CrawlError('CONTROL_FAILED', 'the process that holds the db has gone', { cause: error })
  } finally {
    if (hasBegun) stdin.destroy() // a read that nobody waits for any more would keep this process alive
  }
  signal?.throwIfAborted()
  throw new CrawlError('CONTROL_FAILED', 'the process that holds the db has gone before it had answered')
}

function statusOf(bytes: Buffer): number {
  return Number((JSON.parse(bytes.toString()) as { status: number }).status) // the holder is this program too
}

/** At the reader's pace. */
function written(stream: Writable, bytes: Buffer): Promise<void> {
  return new Promise(resolve => {
    stream.write(bytes, () => resolve())
  })
}
