import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** A line of crawl_fetch, as far as specs look at it. */
export interface StoredOutcome {
  readonly status: string
  readonly protocolStatus: string
  readonly cause?: string
  readonly truncated?: string
  readonly contentLengthBytes?: number
  readonly timing: { readonly startMs: number; readonly endMs: number }
}

/** URLs of a segment's fetch list, in its order. */
export function readFetchList(segmentFolder: string): string[] {
  return readPart(segmentFolder, 'crawl_generate').map(([url]) => url)
}

/** Outcomes by URL over all segments of a crawl folder; the last of a URL. */
export function readOutcomes(crawlFolder: string): Map<string, StoredOutcome> {
  const segments = join(crawlFolder, 'segments')
  const lines = readdirSync(segments)
    .sort()
    .flatMap(name => readPart(join(segments, name), 'crawl_fetch'))
  return new Map(lines.map(([url, json]) => [url, JSON.parse(json) as StoredOutcome])) // what the README documents of this line
}

/** Lines of a part, plain or sealed, cut at the first tab; none where a kill came before the first. */
export function readPart(segmentFolder: string, part: string): [key: string, json: string][] {
  const plain = join(segmentFolder, `${part}.ndjson`)
  if (!existsSync(plain) && !existsSync(`${plain}.gz`)) return []
  const text = existsSync(plain) ? readFileSync(plain, 'utf8') : gunzipSync(readFileSync(`${plain}.gz`)).toString()
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => [line.slice(0, line.indexOf('\t')), line.slice(line.indexOf('\t') + 1)])
}
