import type { Counters } from '../lib/log/counters.js'
import type { ContentRef } from '../lib/record/records.js'
import type { Segment } from '../lib/segment/segment.js'
import { ContentReader } from '../lib/warc/content-reader.js'
import { encodeConversion } from '../lib/warc/encode-conversion.js'
import { mediaTypeOf } from '../lib/warc/http-head.js'
import { warcField } from '../lib/warc/warc-fields.js'
import { type WarcSetFile, type WarcSetOptions, WarcSetWriter } from '../lib/warc/warc-set-writer.js'
import type { CaptureFacts } from './capture-choice.js'

export interface ExportTextJob {
  readonly segments: readonly Segment[]
  readonly set: Omit<WarcSetOptions, 'onRecord' | 'extension'>
  readonly matches: (facts: CaptureFacts) => boolean
  readonly counters: Counters
}

interface TextPage {
  readonly dateMs: number
  readonly content: ContentRef | undefined
}

/**
 * Writes the texts of parsed pages as a set of WET files: one conversion record a page, that refers to the response it was made from. In memory
 * stand the URLs of the segment that match, and what is needed to find their responses.
 */
export async function exportText({ segments, set, matches, counters }: ExportTextJob): Promise<readonly WarcSetFile[]> {
  const writer = new WarcSetWriter({ ...set, extension: '.warc.wet.gz' })
  for (const segment of segments) {
    const pages = await pagesOf(segment, matches)
    const content = new ContentReader(segment.folder)
    try {
      for await (const texts of segment.readParseText()) {
        for (const { url, text } of texts) {
          const page = pages.get(url)
          if (page === undefined) continue
          const refersTo = page.content === undefined ? undefined : warcField((await content.read(page.content)).warc, 'warc-record-id')
          await writer.write(encodeConversion({ url, dateMs: page.dateMs, text, ...(refersTo === undefined ? {} : { refersTo }) }))
          counters.add('export/texts')
        }
      }
    } finally {
      await content.close()
    }
  }
  await writer.close()
  return writer.files
}

async function pagesOf(segment: Segment, matches: (facts: CaptureFacts) => boolean): Promise<ReadonlyMap<string, TextPage>> {
  const pages = new Map<string, TextPage>()
  for await (const outcomes of segment.readOutcomes())
    for (const { url, status, contentType, httpStatus, timing, content } of outcomes)
      if (status === 'fetch_success' && matches({ url, mediaType: mediaTypeOf(contentType), httpStatus }))
        pages.set(url, { dateMs: timing.startMs, content })
  return pages
}
