import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ioError } from './append-file.js'

/** Writes a whole file so that after a crash the old one or the new one stands there: temporary name, sync, rename, sync of the folder. */
export async function writeAtomic(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.tmp`
  try {
    const handle = await open(temporary, 'w')
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, path)
  } catch (cause) {
    await rm(temporary, { force: true })
    throw ioError(path, cause)
  }
  await syncFolder(dirname(path))
}

/** Makes names that were given or taken in a folder last. Systems that cannot do it are let be. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } catch {
    return // some file systems refuse to sync a folder
  } finally {
    await handle.close()
  }
}
