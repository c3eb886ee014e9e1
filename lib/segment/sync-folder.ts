import { open } from 'node:fs/promises'

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
