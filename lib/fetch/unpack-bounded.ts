import type { Coding, DecodedContent } from './codings.js'

/**
 * Unpacks piece by piece, counting, and stops at `mostBytes`; data that breaks off or turns bad gives what came before.
 * Undefined if not one byte came out.
 */
export function unpackBounded(coding: Coding, bytes: Buffer, mostBytes: number): Promise<DecodedContent | undefined> {
  return new Promise(resolve => {
    const stream = coding.asStream()
    const pieces: Buffer[] = []
    let length = 0
    const end = (truncated?: 'length' | 'disconnect'): void => {
      stream.removeAllListeners('data')
      stream.destroy()
      const payload = Buffer.concat(pieces)
      if (payload.length === 0 && truncated === 'disconnect') resolve(undefined)
      else resolve(truncated === undefined ? { payload } : { payload, truncated })
    }
    stream.on('data', (piece: Buffer) => {
      const room = mostBytes - length
      pieces.push(piece.length > room ? piece.subarray(0, room) : piece)
      length += Math.min(piece.length, room)
      if (piece.length > room) end('length')
    })
    stream.on('error', () => end('disconnect'))
    stream.on('end', () => end('disconnect')) // whole data was unpacked at once before
    stream.end(bytes)
  })
}
