import { parts } from './part-names.js'
import { eachLine } from './read-lines.js'
import type { Segment } from './segment.js'
import { UrlSet } from './url-set.js'

/** The URLs of a segment that have a committed outcome, in at most 22 bytes each. Open the writer first: it cuts what is not committed. */
export async function readCommittedUrls(segment: Segment): Promise<UrlSet> {
  return readKeys(segment, parts.outcomes)
}

/** The URLs whose parse is committed. Open the parse writer first. */
export async function readParsedUrls(segment: Segment): Promise<UrlSet> {
  const urls = new UrlSet()
  for await (const { text } of segment.readLines(parts.crawlParse))
    eachLine(text, line => {
      const tab = line.indexOf('\t')
      if (!line.startsWith('{"status":"linked"', tab + 1)) urls.add(line.slice(0, tab))
    })
  return urls
}

/** The URLs of a segment's fetch list. */
export async function readListedUrls(segment: Segment): Promise<UrlSet> {
  return readKeys(segment, parts.fetchList)
}

async function readKeys(segment: Segment, part: (typeof parts)['outcomes' | 'fetchList']): Promise<UrlSet> {
  const urls = new UrlSet()
  for await (const { text } of segment.readLines(part)) eachLine(text, line => urls.add(line.slice(0, line.indexOf('\t'))))
  return urls
}
