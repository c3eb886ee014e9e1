import { createReadStream } from 'node:fs'
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

export interface ReadLinesOptions {
  /** Where to begin, a place at which a line begins. @defaultValue 0 */
  readonly startBytes?: number
  readonly signal?: AbortSignal
}

const chunkBytes = 1024 * 1024

/**
 * Reads a part in batches of whole lines of about 1 MB, plain or, where only that is there, from `<path>.gz`. A file that is not there
 * reads as empty; a last line without an end is a torn write and left out. Text, since a string for each line costs more than all else here.
 */
export async function* readLineBatches(path: string, { startBytes = 0, signal }: ReadLinesOptions = {}): AsyncGenerator<LineBatch> {
  let rest: Buffer = Buffer.alloc(0)
  let offsetBytes = startBytes
  for await (const chunk of readPart(path, startBytes, signal)) {
    const end = chunk.lastIndexOf(10) + 1
    if (end === 0) {
      rest = Buffer.concat([rest, chunk])
      continue
    }
    const lengthBytes = rest.length + end
    const whole = rest.length === 0 ? chunk.subarray(0, end) : Buffer.concat([rest, chunk.subarray(0, end)])
    yield { text: whole.toString('utf8'), offsetBytes, lengthBytes }
    offsetBytes += lengthBytes
    rest = Buffer.from(chunk.subarray(end))
  }
}

/** The bytes of a part, plain or unpacked. */
export async function* readPart(path: string, startBytes = 0, signal?: AbortSignal): AsyncGenerator<Buffer> {
  const options = { highWaterMark: chunkBytes, ...(signal === undefined ? {} : { signal }) }
  try {
    yield* createReadStream(path, { ...options, start: startBytes }) as AsyncIterable<Buffer> // no encoding is set, so chunks are Buffers
    return
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error
  }
  yield* readPacked(`${path}.gz`, startBytes, options)
}

async function* readPacked(path: string, startBytes: number, options: { highWaterMark: number }): AsyncGenerator<Buffer> {
  const unpacked = createGunzip({ chunkSize: chunkBytes })
  const packed = pipeline(createReadStream(path, options), unpacked, () => undefined) // a failure reaches the loop below as well
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
    if (systemCodeOf(error) === 'ENOENT') return
    if (systemCodeOf(error)?.startsWith('Z_') === true) throw new CrawlError('SEGMENT_CORRUPT', `${path}: does not unpack`, { cause: error })
    throw error
  } finally {
    packed.destroy()
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
