import { join } from 'node:path'
import { CrawlError } from '../errors/crawl-error.js'
import { isJsonObject } from '../record/line-format.js'
import { manifestName } from './part-names.js'
import { readJson, type Steps } from './steps.js'

export const manifestFormat = 'millrace-segment/1'

/** What a sealed segment holds. */
export interface Manifest {
  readonly format: typeof manifestFormat
  readonly name: string
  readonly sealedMs: number
  readonly steps: Steps
  /** Lines of content.cdxj. */
  readonly captures: number
  readonly content: readonly ContentFacts[]
  readonly parts: Readonly<Record<string, PartFacts>>
}

export interface ContentFacts {
  readonly file: string
  readonly bytes: number
  readonly sha256: string
}

export interface PartFacts {
  readonly lines: number
  /** Not compressed. */
  readonly bytes: number
  /** Of the bytes that are not compressed. */
  readonly sha256: string
  /** Compressed; absent if the part is stored plain. */
  readonly packedBytes?: number
  /** Where each gzip member begins: byte of the plain part, byte of the packed one. */
  readonly blocks?: readonly (readonly [plain: number, packed: number])[]
}

/** The manifest of a segment folder; undefined if it is not sealed. @throws {CrawlError} SEGMENT_CORRUPT */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const path = join(folder, manifestName)
  const json = await readJson(path)
  if (json === undefined) return undefined
  if (json.format !== manifestFormat)
    throw new CrawlError('SEGMENT_CORRUPT', `${path}: format ${JSON.stringify(json.format)}, this build reads ${manifestFormat}`)
  if (!isJsonObject(json.parts) || !Array.isArray(json.content)) throw new CrawlError('SEGMENT_CORRUPT', `${path}: parts or content are missing`)
  return json as unknown as Manifest // written by the seal, which has this format
}
