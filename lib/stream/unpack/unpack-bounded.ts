import type { Coding, DecodedContent } from './codings.js'

const pieceBytes = 4096

/** What a run over the pieces gave; `spoiltAt` is the index of the piece with bytes that are none of the coding. */
interface Unpacked {
  readonly content: DecodedContent
  readonly spoiltAt?: number
}

/**
 * Unpacks piece by piece, counting, and stops at `mostBytes`; data that breaks off or turns bad gives what came before, to the byte.
 * What follows a whole gzip member and is no member, and a wrong checksum, are passed over as browsers do: they cut nothing off.
 * Undefined if not one byte came out.
 */
export async function unpackBounded(coding: Coding, bytes: Buffer, mostBytes: number): Promise<DecodedContent | undefined> {
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, n) => bytes.subarray(n * pieceBytes, (n + 1) * pieceBytes))
  let unpacked = await unpack(coding, pieces, mostBytes)
  if (unpacked.spoiltAt !== undefined) {
    // zlib hands out nothing of the write in which the error is: that piece again, byte by byte
    const spoilt = pieces[unpacked.spoiltAt] ?? Buffer.alloc(0)
    const single = Array.from({ length: spoilt.length }, (_, n) => spoilt.subarray(n, n + 1))
    unpacked = await unpack(coding, [...pieces.slice(0, unpacked.spoiltAt), ...single], mostBytes)
  }
  const { content } = unpacked
  return content.payload.length === 0 && content.truncated === 'disconnect' ? undefined : content
}

function unpack(coding: Coding, pieces: readonly Buffer[], mostBytes: number): Promise<Unpacked> {
  return new Promise(resolve => {
    const stream = coding.asStream()
    const found: Buffer[] = []
    let length = 0
    let written = 0
    let ended = false
    const end = (truncated?: 'length' | 'disconnect', spoiltAt?: number): void => {
      if (ended) return
      ended = true
      stream.destroy()
      const payload = Buffer.concat(found)
      resolve({ content: truncated === undefined ? { payload } : { payload, truncated }, ...(spoiltAt === undefined ? {} : { spoiltAt }) })
    }
    const writeNext = (): void => {
      const piece = pieces[written++]
      if (ended) return
      if (piece === undefined) stream.end()
      else stream.write(piece, error => (error === null || error === undefined ? writeNext() : undefined))
    }
    stream.on('data', (piece: Buffer) => {
      if (ended) return
      const room = mostBytes - length
      found.push(piece.length > room ? piece.subarray(0, room) : piece)
      length += Math.min(piece.length, room)
      if (piece.length > room) end('length')
    })
    stream.on('error', error => end(length > 0 && isAfterTheData(error) ? undefined : 'disconnect', written - 1))
    stream.on('end', () => end('disconnect')) // whole data was unpacked at once before
    writeNext()
  })
}

/** zlib's words for what is wrong behind the packed data: no further member, or a checksum that is not of it. */
function isAfterTheData(error: Error): boolean {
  return /^(incorrect header check|unknown compression method|incorrect data check|incorrect length check)$/.test(error.message)
}
