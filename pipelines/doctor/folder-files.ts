import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isJsonObject } from '../../lib/record/line-format.js'
import type { JobContext } from '../job.js'
import type { Report } from './ailment.js'

/** Small files that a crawl keeps beside the databases, and what it does where one does not read; it goes on without any of them. */
const files = [
  { name: 'crawl.json', meaning: 'the same command counts its limits anew', isRemovable: true },
  { name: 'politeness.json', meaning: 'the next crawl asks no host before a whole delay has passed, and writes it anew', isRemovable: false },
  { name: 'status.json', meaning: 'the figures of the last crawl are lost', isRemovable: true },
] as const

/** Notes which of these do not read. */
export async function checkFolderFiles({ folder }: JobContext, report: Report): Promise<void> {
  for (const { name, meaning, isRemovable } of files) {
    const path = join(folder.root, name)
    if (await readsOrIsAbsent(path)) continue
    const remedy = isRemovable ? { remedy: 'remove it', repair: () => rm(path, { force: true }) } : {}
    await report({ part: 'folder', name, problem: `${path} does not read: ${meaning}`, isNote: true, ...remedy })
  }
}

async function readsOrIsAbsent(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  try {
    return text === undefined || isJsonObject(JSON.parse(text))
  } catch {
    return false
  }
}
