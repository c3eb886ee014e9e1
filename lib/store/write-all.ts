import type { FileHandle } from 'node:fs/promises'

/** Writes all of `parts` behind one another, in as few calls as the system allows. @returns the number of their bytes */
export async function writeAll(handle: FileHandle, parts: readonly Uint8Array[]): Promise<number> {
  const wantedBytes = parts.reduce((sum, part) => sum + part.length, 0)
  if (wantedBytes === 0) return 0
  const { bytesWritten } = await handle.writev([...parts])
  if (bytesWritten < wantedBytes) await handle.appendFile(Buffer.concat(parts).subarray(bytesWritten))
  return wantedBytes
}
