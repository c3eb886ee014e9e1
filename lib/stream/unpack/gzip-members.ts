import { constants, crc32, createInflateRaw, inflateRawSync } from 'node:zlib'
import { CrawlError, systemCodeOf } from '../../errors/crawl-error.js'
import { ByteCursor } from './byte-cursor.js'
import { gzipHeaderLength } from './gzip-header.js'

/** What unpacking a file of gzip members meets, in order. */
export type MemberPart =
  | { readonly kind: 'start'; readonly offsetBytes: number }
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'end'; readonly endBytes: number }
  /** The member is broken; what could be had of it came before. */
  | { readonly kind: 'fault'; readonly offsetBytes: number; readonly error: CrawlError }

const firstWindowBytes = 64 * 1024
const largestWindowBytes = 4 * 1024 * 1024
const largestOutputBytes = 32 * 1024 * 1024
const sliceBytes = 16 * 1024

/**
 * Unpacks member by member. Small ones at once, which is what makes it fast; large ones as a stream, so that memory stays bounded however
 * large a member is or unpacks to. After a broken member it goes on at the next one that can be found. `atOnceBytes` bounds what a small one unpacks to.
 */
export async function* gzipMembers(cursor: ByteCursor, atOnceBytes = largestOutputBytes): AsyncGenerator<MemberPart> {
  for (;;) {
    const window = await cursor.peek(firstWindowBytes)
    if (window.length === 0) return
    const offsetBytes = cursor.position
    const headerBytes = gzipHeaderLength(window)
    yield { kind: 'start', offsetBytes }
    let error: CrawlError | undefined
    if (headerBytes === undefined || headerBytes < 0)
      error = new CrawlError('WARC_INVALID', headerBytes === undefined ? 'a gzip member that is cut off' : 'no gzip member begins here')
    else error = yield* unpackMember(cursor, headerBytes, atOnceBytes)
    if (error === undefined) {
      yield { kind: 'end', endBytes: cursor.position }
      continue
    }
    yield { kind: 'fault', offsetBytes, error }
    await findMember(cursor, offsetBytes)
  }
}

/** Yields a member's bytes and leaves the cursor behind it. @returns what is wrong with it, if anything */
async function* unpackMember(cursor: ByteCursor, headerBytes: number, atOnceBytes: number): AsyncGenerator<MemberPart, CrawlError | undefined> {
  for (let wanted = firstWindowBytes; wanted <= largestWindowBytes; wanted *= 4) {
    const window = await cursor.peek(wanted)
    const whole = inflateWhole(window.subarray(headerBytes), atOnceBytes)
    if (whole === 'too large') break
    if (whole === 'cut off' && window.length >= wanted) continue
    if (whole === 'broken' || whole === 'cut off') return yield* salvage(window.subarray(headerBytes))
    yield { kind: 'bytes', bytes: whole.bytes }
    const memberBytes = headerBytes + whole.packedBytes
    const trailer = (await cursor.peek(memberBytes + 8)).subarray(memberBytes, memberBytes + 8)
    const error = trailerError(trailer, crc32(whole.bytes), whole.bytes.length)
    if (error === undefined) cursor.skip(memberBytes + 8)
    return error
  }
  cursor.skip(headerBytes)
  return yield* unpackStream(cursor)
}

/** The deflate stream that `packed` begins with. */
function inflateWhole(packed: Buffer, maxOutputLength: number): { bytes: Buffer; packedBytes: number } | 'too large' | 'cut off' | 'broken' {
  try {
    const options = { info: true, maxOutputLength }
    // with `info` Node gives the engine too, whose count says where the stream ended; the types do not know the option
    const { buffer, engine } = inflateRawSync(packed, options) as unknown as { buffer: Buffer; engine: { bytesWritten: number } }
    return { bytes: buffer, packedBytes: engine.bytesWritten }
  } catch (error) {
    if (error instanceof RangeError) return 'too large'
    return systemCodeOf(error) === 'Z_BUF_ERROR' ? 'cut off' : 'broken'
  }
}

/** What can be had of a broken member. The cursor stays where it is, so that the next one is looked for right behind this one's start. */
async function* salvage(packed: Buffer): AsyncGenerator<MemberPart, CrawlError> {
  const error = yield* unpackStream(new ByteCursor(once(packed)))
  return error ?? new CrawlError('WARC_INVALID', 'a gzip member that does not unpack')
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

async function* unpackStream(cursor: ByteCursor): AsyncGenerator<MemberPart, CrawlError | undefined> {
  const inflate = createInflateRaw({ finishFlush: constants.Z_SYNC_FLUSH })
  let isDone = false
  let fedBytes = 0
  const feed = async (): Promise<void> => {
    while (!isDone) {
      const slice = Buffer.from((await cursor.peek(sliceBytes)).subarray(0, sliceBytes))
      if (slice.length === 0) return void inflate.end()
      await new Promise<void>(resolve => {
        inflate.once('close', resolve)
        inflate.write(slice, () => {
          inflate.off('close', resolve)
          resolve()
        })
      })
      const usedBytes = Math.min(slice.length, inflate.bytesWritten - fedBytes)
      fedBytes += usedBytes
      cursor.skip(usedBytes)
      if (usedBytes < slice.length) return
    }
  }
  let crc = 0
  let lengthBytes = 0
  const feeding = feed()
  try {
    for await (const bytes of inflate as AsyncIterable<Buffer>) {
      crc = crc32(bytes, crc)
      lengthBytes += bytes.length
      yield { kind: 'bytes', bytes }
    }
  } catch (cause) {
    if (systemCodeOf(cause)?.startsWith('Z_') !== true) throw cause
    return new CrawlError('WARC_INVALID', 'a gzip member that does not unpack', { cause })
  } finally {
    isDone = true
    inflate.destroy()
    await feeding
  }
  const trailer = (await cursor.peek(8)).subarray(0, 8)
  cursor.skip(trailer.length)
  return trailerError(trailer, crc, lengthBytes)
}

/** Compares CRC-32 and length behind the deflate stream (RFC 1952 §2.3.1). */
function trailerError(trailer: Buffer, crc: number, lengthBytes: number): CrawlError | undefined {
  if (trailer.length < 8) return new CrawlError('WARC_INVALID', 'a gzip member that is cut off')
  const isRight = trailer.readUInt32LE(0) === crc && trailer.readUInt32LE(4) === lengthBytes % 2 ** 32
  return isRight ? undefined : new CrawlError('WARC_INVALID', 'a gzip member with a wrong checksum')
}

const memberLead = Buffer.from([0x1f, 0x8b, 0x08])

/** Moves on to the next place that looks like the start of a member, or to the end. */
async function findMember(cursor: ByteCursor, brokenAtBytes: number): Promise<void> {
  if (cursor.position === brokenAtBytes) cursor.skip(1)
  for (;;) {
    const window = await cursor.peek(firstWindowBytes)
    for (let at = window.indexOf(memberLead); at >= 0; at = window.indexOf(memberLead, at + 1)) {
      const flagByte = window[at + 3]
      if (flagByte === undefined || flagByte >= 32) continue // only five flags are defined
      return cursor.skip(at)
    }
    if (window.length < firstWindowBytes) return cursor.skip(window.length)
    cursor.skip(window.length - memberLead.length)
  }
}
