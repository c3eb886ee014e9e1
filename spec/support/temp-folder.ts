import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Makes a new empty folder on each call; all are removed after the `describe` in which this is called. */
export function useTempFolders(): () => string {
  const folders: string[] = []
  after(() => {
    for (const folder of folders) removeFolder(folder)
  })
  return () => {
    const folder = makeTempFolder()
    folders.push(folder)
    return folder
  }
}

/** Hands `use` a new empty folder and removes it afterwards, whatever happened. */
export async function withTempFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = makeTempFolder()
  try {
    return await use(folder)
  } finally {
    removeFolder(folder)
  }
}

function makeTempFolder(): string {
  return mkdtempSync(join(tmpdir(), 'millrace-spec-'))
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
