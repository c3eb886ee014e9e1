import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'

export interface FileDigest {
  readonly bytes: number
  /** SHA-256 in hex. */
  readonly sha256: string
}

const chunkBytes = 256 * 1024

/** Length and digest of a file as it stands. One buffer serves all of it. @throws what the system says if it cannot be read */
export async function hashFile(path: string): Promise<FileDigest> {
  const hash = createHash('sha256')
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, size + 1))
    for (let bytes = 0; ; ) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, bytes)
      if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') }
      hash.update(buffer.subarray(0, bytesRead))
      bytes += bytesRead
    }
  } finally {
    await handle.close()
  }
}
