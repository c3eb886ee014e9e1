import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PolitenessState } from '../lib/fetch/politeness.js'
import { isJsonObject } from '../lib/record/line-format.js'
import { diskErrorOf } from '../lib/store/disk-errors.js'

/** When each host may be asked again, kept from one run to the next: `DIR/politeness.json`. A file that does not read is none. */
export async function readPoliteness(folder: string): Promise<PolitenessState> {
  try {
    const value: unknown = JSON.parse(await readFile(fileOf(folder), 'utf8'))
    return isJsonObject(value) ? (value as PolitenessState) : {} // writePoliteness wrote it
  } catch {
    return {} // missing or torn: hosts are then asked as if for the first time
  }
}

export async function writePoliteness(folder: string, state: PolitenessState): Promise<void> {
  const file = fileOf(folder)
  try {
    await writeFile(`${file}.tmp`, JSON.stringify(state))
    await rename(`${file}.tmp`, file)
  } catch (error) {
    throw diskErrorOf(error, file)
  }
}

function fileOf(folder: string): string {
  return join(folder, 'politeness.json')
}
