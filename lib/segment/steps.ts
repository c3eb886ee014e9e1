import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CrawlError, systemCodeOf } from '../errors/crawl-error.js'
import { isJsonObject } from '../record/line-format.js'
import { manifestName, stepsName } from './part-names.js'
import { writeAtomic } from './write-atomic.js'

/** Steps that end in a segment. */
export type StepName = 'generate' | 'fetch' | 'parse'

/** What a step says of itself when it is done: counts and times by name. */
export type StepFacts = Readonly<Record<string, number | string>>

export type Steps = { readonly [Name in StepName]?: StepFacts }

/** The steps done in a segment folder. @throws {CrawlError} SEGMENT_CORRUPT */
export async function readSteps(folder: string): Promise<Steps> {
  const manifest = await readJson(join(folder, manifestName))
  const steps = manifest === undefined ? await readJson(join(folder, stepsName)) : manifest.steps
  return isJsonObject(steps) ? (steps as Steps) : {} // written by recordStep only
}

/** Records that a step is done; the file is replaced by rename. */
export async function recordStep(folder: string, step: StepName, facts: StepFacts): Promise<void> {
  const steps: Steps = { ...(await readSteps(folder)), [step]: facts }
  await writeAtomic(join(folder, stepsName), `${JSON.stringify(steps)}\n`)
}

/** Takes the mark of a step away, so that it can be done again. */
export async function forgetStep(folder: string, step: StepName): Promise<void> {
  const { [step]: _, ...rest } = await readSteps(folder)
  await writeAtomic(join(folder, stepsName), `${JSON.stringify(rest)}\n`)
}

/** A JSON object from a file, undefined if there is no file. @throws {CrawlError} SEGMENT_CORRUPT */
export async function readJson(path: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined
    throw error
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new CrawlError('SEGMENT_CORRUPT', `${path}: is no JSON`, { cause })
  }
  if (!isJsonObject(value)) throw new CrawlError('SEGMENT_CORRUPT', `${path}: is no JSON object`)
  return value
}
