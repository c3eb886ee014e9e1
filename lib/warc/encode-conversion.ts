import type { EncodedRecords } from '../record/encoded-records.js'
import { sha1Base32 } from './base32.js'
import { gzipRecord } from './gzip-member.js'
import { formatWarcHead, newRecordId, type WarcField, warcDate } from './warc-header.js'

/** The text of a page, for a conversion record. */
export interface TextConversion {
  readonly url: string
  readonly dateMs: number
  readonly text: string
  /** Record id of the response the text was made from, in angle brackets. */
  readonly refersTo?: string
  /** ISO 639 code of the language, if it is known. */
  readonly language?: string
}

/** A conversion record as WET files hold it (WARC/1.1 §6.7; Common Crawl's WET). */
export function encodeConversion({ url, dateMs, text, refersTo, language }: TextConversion, gzipLevel = 6): EncodedRecords {
  const block = Buffer.from(text)
  const fields: WarcField[] = [
    ['WARC-Type', 'conversion'],
    ['WARC-Target-URI', url],
    ['WARC-Date', warcDate(dateMs)],
    ['WARC-Record-ID', newRecordId()],
    ...(refersTo === undefined ? [] : [['WARC-Refers-To', refersTo] as const]),
    ['WARC-Block-Digest', `sha1:${sha1Base32(block)}`],
    ...(language === undefined ? [] : [['WARC-Identified-Content-Language', language] as const]),
    ['Content-Type', 'text/plain'],
  ]
  const bytes = gzipRecord(formatWarcHead(fields, block.length), [block], gzipLevel)
  return { bytes, records: [{ type: 'conversion', uri: url, offsetBytes: 0, lengthBytes: bytes.length }] }
}
