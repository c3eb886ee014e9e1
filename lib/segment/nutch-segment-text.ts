import { type Metadata, metadataKeys, noMetadata } from '../record/metadata.js'
import type { CrawlDatum, FetchOutcome, Link, Parse } from '../record/records.js'
import type { ParsedPage } from './read-parts.js'

/** An outcome as the CrawlDatum that Nutch keeps in crawl_fetch. */
export function outcomeDatum(outcome: FetchOutcome): CrawlDatum {
  const { datum, status, timing, fetchTimeMs, contentType, metadata } = outcome
  const type: Metadata = contentType === undefined ? noMetadata : { [metadataKeys.contentType]: contentType }
  return { ...datum, status, fetchTimeMs: fetchTimeMs ?? timing.startMs, metadata: { ...datum.metadata, ...type, ...metadata } }
}

/** A page of crawl_parse as Nutch's signature datum (or parse_failed). Nutch writes the time of the parse; ours is not kept. */
export function pageDatum({ url, status, signature, metadata }: ParsedPage, fetchTimeMs = 0): CrawlDatum {
  const numbers = { fetchTimeMs, modifiedTimeMs: 0, retries: 0, fetchIntervalS: 0, score: 0 }
  return { url, status, ...numbers, ...(signature.length === 0 ? {} : { signature }), metadata }
}

/** A link of crawl_parse as Nutch's linked datum. */
export function linkDatum({ to, score, metadata }: Link, fetchIntervalS = 0): CrawlDatum {
  return { url: to, status: 'linked', fetchTimeMs: 0, modifiedTimeMs: 0, retries: 0, fetchIntervalS, score, metadata }
}

/** What is printed of a page's content. */
export interface ContentForm {
  readonly url: string
  readonly contentType: string
  /** Response fields, names and values as received. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly text: string
}

/** Nutch's Content.toString. */
export function contentToNutchText({ url, contentType, fields, text }: ContentForm): string {
  const metadata = fields.map(([name, value]) => `${name}=${value} `).join('')
  return `Version: -1\nurl: ${url}\nbase: ${url}\ncontentType: ${contentType}\nmetadata: ${metadata}\nContent:\n${text}`
}

const parseStatuses: Readonly<Record<Parse['status'], string>> = { success: 'success(1,0)', failed: 'failed(2,0)', notparsed: 'notparsed(0,0)' }

/** Nutch's ParseData.toString. */
export function parseDataToNutchText({ status, cause, title, outlinks, metadata }: Parse): string {
  const links = outlinks.map(({ url, anchor }) => `  outlink: toUrl: ${url} anchor: ${anchor}\n`).join('')
  const parseMetadata = Object.entries(metadata)
    .map(([key, value]) => `${key}=${value} `)
    .join('')
  const state = `${parseStatuses[status]}${cause === undefined ? '' : `: ${cause}`}`
  return `Version: 5\nStatus: ${state}\nTitle: ${title}\nOutlinks: ${outlinks.length}\n${links}Content Metadata: \nParse Metadata: ${parseMetadata}\n`
}
