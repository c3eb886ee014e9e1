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

const batchBytes = 1024 * 1024
const leastBufferBytes = 64 * 1024
const unpackedChunkBytes = 64 * 1024

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
  if (handle === undefined) return yield* readPacked(`${path}.gz`, startBytes, signal)
  try {
    const { size } = await handle.stat()
    const buffer = Buffer.allocUnsafeSlow(Math.max(leastBufferBytes, Math.min(batchBytes, size - startBytes + 1)))
    let position = startBytes
    yield* wholeLines(buffer, startBytes, async (into, from) => {
      signal?.throwIfAborted()
      const { bytesRead } = await handle.read(into, from, into.length - from, position)
      position += bytesRead
      return bytesRead
    })
  } finally {
    await handle.close()
  }
}

async function* readPacked(path: string, startBytes: number, signal: AbortSignal | undefined): AsyncGenerator<ByteBatch> {
  const unpacked = createGunzip({ chunkSize: unpackedChunkBytes })
  const packed = createReadStream(path, signal === undefined ? {} : { signal })
  pipeline(packed, unpacked, () => undefined) // a failure reaches the loop below as well
  try {
    yield* wholeLines(Buffer.allocUnsafeSlow(batchBytes), startBytes, fillFrom(unpacked, startBytes))
  } catch (error) {
    const code = systemCodeOf(error) ?? ''
    if (code === 'ENOENT') return
    if (code.startsWith('Z_')) throw new CrawlError('SEGMENT_CORRUPT', `${path}: does not unpack`, { cause: error })
    throw error
  } finally {
    packed.destroy()
  }
}

/** Puts what comes next into a buffer from a place on, and gives the number of its bytes, 0 at the end. */
type Fill = (into: Buffer, from: number) => Promise<number>

function fillFrom(chunks: AsyncIterable<Buffer>, skipBytes: number): Fill {
  const source = chunks[Symbol.asyncIterator]()
  let chunk: Buffer = Buffer.alloc(0)
  let skipped = 0
  return async (into, from) => {
    let filled = from
    while (filled < into.length) {
      if (chunk.length === 0) {
        const next = await source.next()
        if (next.done === true) break
        chunk = next.value
      }
      const taken = skipped < skipBytes ? Math.min(skipBytes - skipped, chunk.length) : chunk.copy(into, filled)
      if (skipped < skipBytes) skipped += taken
      else filled += taken
      chunk = chunk.subarray(taken)
    }
    return filled - from
  }
}

/** One buffer is used for all batches, larger only where a line is: memory that V8 counts as its own is a reason for it to collect. */
async function* wholeLines(first: Buffer, startBytes: number, fill: Fill): AsyncGenerator<ByteBatch> {
  let buffer = first
  let offsetBytes = startBytes
  let filled = 0
  for (;;) {
    if (filled === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2)
    const read = await fill(buffer, filled)
    if (read === 0) return
    const end = filled + buffer.subarray(filled, filled + read).lastIndexOf(10) + 1
    const hasEnd = end > filled
    filled += read
    if (!hasEnd) continue
    yield { bytes: buffer.subarray(0, end), offsetBytes }
    offsetBytes += end
    buffer.copyWithin(0, end, filled)
    filled -= end
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
