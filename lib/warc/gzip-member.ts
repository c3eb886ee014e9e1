import { gzipSync } from 'node:zlib'

const recordEnd = Buffer.from('\r\n\r\n')
const smallBlockBytes = 4096

/** One record as one gzip member (WARC/1.1 annex D). `level` is zlib's, 1 to 9. */
export function gzipRecord(head: Uint8Array, block: readonly Uint8Array[], level: number): Buffer {
  const record = Buffer.concat([head, ...block, recordEnd])
  // a small record needs no window of 32 kB to be set up
  return gzipSync(record, record.length <= smallBlockBytes ? { level, windowBits: 12, memLevel: 5, chunkSize: smallBlockBytes } : { level })
}
