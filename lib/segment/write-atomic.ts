import { AtomicFile } from './atomic-file.js'

/** Writes a whole file so that after a crash the old one or the new one stands there: temporary name, sync, rename, sync of the folder. */
export async function writeAtomic(path: string, content: string | Uint8Array): Promise<void> {
  const file = await AtomicFile.open(path)
  try {
    await file.write(content)
  } catch (error) {
    await file.discard()
    throw error
  }
  await file.commit()
}
