import { CrawlError } from '../lib/errors/crawl-error.js'
import type { Link, Parse } from '../lib/record/records.js'
import type { Segment } from '../lib/segment/segment.js'

/** A page's parse put together again from the parts. */
export interface PageParse {
  readonly parse: Parse
  readonly links: readonly Link[]
}

/** The parses of a segment in the order they were committed: the three parts hold the pages in the same order. */
export async function* readPageParses(segment: Segment): AsyncGenerator<PageParse> {
  const data = flat(segment.readParseData())
  const texts = flat(segment.readParseText())
  let text = await texts.next()
  let links: Link[] = []
  try {
    for await (const record of flat(segment.readCrawlParse())) {
      if (record.kind === 'link') {
        links.push(record.link)
        continue
      }
      const { url } = record.page
      const { value: parse, done } = await data.next()
      if (done === true || parse.url !== url)
        throw new CrawlError('SEGMENT_CORRUPT', `segment ${segment.name}: parse_data and crawl_parse do not agree at ${url}`)
      const isText = text.done !== true && text.value.url === url // without parser.store.text there is none
      yield { parse: isText ? { ...parse, text: text.value?.text ?? '' } : parse, links }
      if (isText) text = await texts.next()
      links = []
    }
  } finally {
    await Promise.all([data.return(undefined), texts.return(undefined)])
  }
}

async function* flat<T>(batches: AsyncIterable<readonly T[]>): AsyncGenerator<T, undefined> {
  for await (const batch of batches) yield* batch
  return undefined
}
