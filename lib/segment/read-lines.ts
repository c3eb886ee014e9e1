import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { CrawlError, systemCodeOf } from '../errors/crawl-error.js'

/** Some whole lines of a part, and where they stand in the part as it is when not compressed. */
export interface LineBatch {
  /** Lines joined by LF, ended by LF. */
  readonly text: string
  readonly offsetBytes: number
  readonly lengthBytes: number
}

/** The same as bytes. They are good until the next batch is asked for. */
export interface ByteBatch {
  readonly bytes: Buffer
  readonly offsetBytes: number
}

export interface ReadLinesOptions {
  /** Where to begin, a place at which a line begins. @defaultValue 0 */
  readonly startBytes?: number
  readonly signal?: AbortSignal
}

const chunkBytes = 1024 * 1024

/**
 * Reads a part in batches of whole lines of about 1 MB, plain or, where only that is there, from `<path>.gz`. A file that is not there
 * reads as empty; a last line without an end is a torn write and left out. Text, since a string for each line costs more than all else here.
 * @throws {CrawlError} SEGMENT_CORRUPT if it does not unpack
 */
export async function* readLineBatches(path: string, options?: ReadLinesOptions): AsyncGenerator<LineBatch> {
  for await (const { bytes, offsetBytes } of readByteBatches(path, options))
    yield { text: bytes.toString('utf8'), offsetBytes, lengthBytes: bytes.length }
}

/** As `readLineBatches`, undecoded. */
export async function* readByteBatches(path: string, { startBytes = 0, signal }: ReadLinesOptions = {}): AsyncGenerator<ByteBatch> {
  const handle = await openIfThere(path)
  const chunks = handle === undefined ? readPacked(`${path}.gz`, startBytes, signal) : readPlain(handle, startBytes, signal)
  let rest: Buffer = Buffer.alloc(0)
  let offsetBytes = startBytes
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(10) + 1
    if (end === 0) {
      rest = Buffer.concat([rest, chunk])
      continue
    }
    const bytes = rest.length === 0 ? chunk.subarray(0, end) : Buffer.concat([rest, chunk.subarray(0, end)])
    yield { bytes, offsetBytes }
    offsetBytes += bytes.length
    rest = Buffer.from(chunk.subarray(end))
  }
}

/** One buffer is used for all chunks: memory then does not wait for the collector. */
async function* readPlain(handle: FileHandle, startBytes: number, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  try {
    const buffer = Buffer.allocUnsafeSlow(chunkBytes)
    for (let position = startBytes; ; ) {
      signal?.throwIfAborted()
      const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position)
      if (bytesRead === 0) return
      position += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}

async function* readPacked(path: string, startBytes: number, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  const unpacked = createGunzip({ chunkSize: chunkBytes })
  const packed = createReadStream(path, signal === undefined ? {} : { signal })
  pipeline(packed, unpacked, () => undefined) // a failure reaches the loop below as well
  let skipBytes = startBytes
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      if (skipBytes >= chunk.length) skipBytes -= chunk.length
      else {
        yield skipBytes === 0 ? chunk : chunk.subarray(skipBytes)
        skipBytes = 0
      }
    }
  } catch (error) {
    const code = systemCodeOf(error) ?? ''
    if (code === 'ENOENT') return
    if (code.startsWith('Z_')) throw new CrawlError('SEGMENT_CORRUPT', `${path}: does not unpack`, { cause: error })
    throw error
  } finally {
    packed.destroy()
  }
}

/** Opens for reading, or undefined if there is no such file. */
export async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r')
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Calls `use` with each line of a batch, without its LF. */
export function eachLine(text: string, use: (line: string) => void): void {
  let start = 0
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    use(text.slice(start, end))
    start = end + 1
  }
}
