import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** URLs of a segment's fetch list, in its order. */
export function readFetchList(segmentFolder: string): string[] {
  const text = readFileSync(join(segmentFolder, 'crawl_generate.ndjson'), 'utf8')
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => line.slice(0, line.indexOf('\t')))
}
