import { mkdir } from 'node:fs/promises'
import { CrawlError, messageOf } from '../lib/errors/crawl-error.js'
import type { PageFetcher } from '../lib/fetch/page-fetcher.js'
import type { PageInput } from '../lib/parse/page.js'
import { dbDatumFromJson } from '../lib/record/datum-json.js'
import type { FetchedPage } from '../lib/record/exchange.js'
import { toHex } from '../lib/record/json-fields.js'
import { formatLine, parseLine } from '../lib/record/line-format.js'
import { noMetadata } from '../lib/record/metadata.js'
import type { FetchItem } from '../lib/record/records.js'
import { storedUrl } from '../lib/record/url.js'
import { urlOfKey } from '../lib/record/url-key.js'
import { Segment } from '../lib/segment/segment.js'
import { bareReturnsAsFeeds } from '../lib/stream/bare-returns.js'
import { type Line, splitLines } from '../lib/stream/split-lines.js'
import { ContentReader } from '../lib/warc/content-reader.js'
import { encodeExchanges } from '../lib/warc/encode-exchange.js'
import { contentTypeOf, parseHttpHead } from '../lib/warc/http-head.js'
import { pageMetadata } from '../lib/warc/page-metadata.js'
import type { CrawlUrlRules } from './crawl-url-rules.js'
import { wasCutOff } from './fetch.js'
import { linkReader } from './invertlinks.js'
import type { JobContext } from './job.js'
import { PageWork } from './page-work.js'
import { redirectLinks } from './redirect-links.js'
import { openSegmentWriters, recordedOutcome, type SegmentWriters } from './segment-writers.js'
import { itemOfLine, linkToLine, outcomeToLine, type PageLine, pageOfLine, pageToLine, parseOfLine, parseToLine } from './stage-lines.js'
import { fetchPages } from './stages.js'

/** What the stages of the shell are given. */
export interface ShellStage {
  readonly context: JobContext
  /** Folder of WARC files that content is kept in; without it content stands in the lines. */
  readonly warcFolder: string | undefined
  /** Fail at the first line that cannot be read; else it is logged and counted. */
  readonly isStrict: boolean
}

type Chunks = AsyncIterable<Uint8Array | string>

/** Lines of URLs, seeds, records or fetch lists to lines of outcomes, as they are done. */
export function fetchLines(shell: ShellStage, rules: CrawlUrlRules, fetcher: PageFetcher) {
  return async function* fetch(chunks: Chunks): AsyncGenerator<string> {
    const { config, pacingClock, signal } = shell.context
    const stage = fetchPages({ fetcher, config: config.fetch, clock: pacingClock, ...(signal === undefined ? {} : { signal }) })
    const feeding = feed(stage, readItems(shell, rules, chunks))
    const writers = await warcWriters(shell)
    try {
      for await (const page of stage as AsyncIterable<FetchedPage>) {
        if (wasCutOff(page)) continue
        const recorded = { ...page, outcome: recordedOutcome(shell.context, page.outcome) }
        shell.context.counters.add(`stage/${page.outcome.status}`)
        yield pageToLine(writers === undefined ? recorded : await stored(shell, writers, recorded))
      }
      await feeding
    } finally {
      await writers?.close()
    }
  }
}

async function feed(stage: ReturnType<typeof fetchPages>, items: AsyncIterable<FetchItem>): Promise<void> {
  try {
    for await (const item of items) {
      if (stage.destroyed) return
      if (!stage.write(item)) await drained(stage)
    }
    stage.end()
  } catch (error) {
    stage.destroy(error instanceof Error ? error : new Error(String(error)))
  }
}

/** Resolves when the stage takes more, or when it is gone. */
function drained(stage: ReturnType<typeof fetchPages>): Promise<void> {
  return new Promise(resolve => {
    const resume = (): void => {
      stage.off('drain', resume)
      stage.off('close', resume)
      resolve()
    }
    stage.once('drain', resume).once('close', resume)
  })
}

async function* readItems(shell: ShellStage, rules: CrawlUrlRules, chunks: Chunks): AsyncGenerator<FetchItem> {
  for await (const line of splitLines()(bareReturnsAsFeeds(chunks))) {
    const item = readOrReport(shell, line, () => itemOfLine(line, shell.context, raw => rules.normalize(raw, 'fetcher')))
    if (item !== undefined) yield item
  }
}

async function warcWriters({ context, warcFolder }: ShellStage): Promise<SegmentWriters | undefined> {
  if (warcFolder === undefined) return undefined
  await mkdir(warcFolder, { recursive: true })
  return openSegmentWriters(context, await Segment.open(warcFolder), false)
}

async function stored({ context }: ShellStage, writers: SegmentWriters, page: FetchedPage): Promise<FetchedPage> {
  const { gzipLevel, keepsRequests, keepsMetadata } = context.config.segment
  const metadata = keepsMetadata ? { metadata: pageMetadata(page.exchanges, undefined) } : {}
  const options = { gzipLevel, keepsRequest: keepsRequests, ...metadata }
  const records = page.exchanges.length === 0 ? undefined : encodeExchanges(page.exchanges, options)
  return { exchanges: [], outcome: await writers.content.append(records, page.outcome) }
}

/** Lines of outcomes to the same without content, and for each page its parse and its links, keyed by their targets. */
export function parseLines(shell: ShellStage, rules: CrawlUrlRules) {
  return async function* parse(chunks: Chunks): AsyncGenerator<string> {
    const { config, scoring, counters, plugins } = shell.context
    const work = new PageWork({ config, rules, scoring, plugins })
    const content = new ContentReader(shell.warcFolder ?? '.')
    try {
      for await (const line of splitLines()(chunks)) {
        const page = readOrReport(shell, line, () => (line.text === '' ? undefined : pageOfLine(line.text)))
        if (page === undefined) continue
        const { outcome } = page
        let text = outcomeToLine(outcome)
        for (const link of redirectLinks(outcome, scoring)) text += linkToLine(link, outcome.datum.fetchIntervalS)
        const input = outcome.status === 'fetch_success' ? await readContent(shell, content, page) : undefined
        if (input !== undefined) {
          const { parse: record, links } = work.parse(outcome.url, outcome.datum, input)
          counters.add(`stage/parse_${record.status}`)
          text += parseToLine(record)
          for (const link of links) text += linkToLine(link)
        }
        yield text
      }
    } finally {
      await content.close()
    }
  }
}

/** The content of a page; one that cannot be read is counted and logged, and its page has no parse (as in the job). */
async function readContent(shell: ShellStage, content: ContentReader, page: PageLine): Promise<PageInput | undefined> {
  try {
    return await pageInput(content, page)
  } catch (error) {
    if (!(error instanceof CrawlError) || shell.isStrict) throw error
    shell.context.counters.add('parse/unreadable')
    shell.context.log.warn({ url: page.outcome.url, reason: messageOf(error) }, 'stored page cannot be read')
    return undefined
  }
}

async function pageInput(content: ContentReader, { outcome, answer, content: ref }: PageLine): Promise<PageInput | undefined> {
  if (answer !== undefined) {
    const { fields } = parseHttpHead(answer.head)
    return inputOf(answer.url, answer.payload, fields, answer.isTruncated || outcome.truncated !== undefined)
  }
  const { contentLengthBytes } = outcome
  const stored = await content.readAnswer({
    ...(ref === undefined ? {} : { content: ref }),
    ...(contentLengthBytes === undefined ? {} : { contentLengthBytes }),
  })
  return stored && inputOf(outcome.url, stored.payload, stored.fields, outcome.truncated !== undefined)
}

function inputOf(url: string, bytes: Uint8Array, fields: ReturnType<typeof parseHttpHead>['fields'], isTruncated: boolean): PageInput {
  const contentType = contentTypeOf(fields)
  return { url, bytes, headers: fields, ...(contentType === undefined ? {} : { contentType }), ...(isTruncated ? { isTruncated } : {}) }
}

/** Records of the CrawlDb keyed by their signature; those that have none are left out. */
export function dedupKeyLines(shell: ShellStage) {
  return mapLines(shell, ({ key, value }) => {
    const { signature } = dbDatumFromJson(storedUrl(key), value)
    return signature === undefined ? '' : formatLine(toHex(signature), { url: key, ...value })
  })
}

/** The links of parses that a LinkDb keeps, keyed by their targets; other lines are passed over. */
export function invertKeyLines(shell: ShellStage, rules: CrawlUrlRules) {
  const linksOf = linkReader(shell.context.config, rules.keepLink('linkdb'))
  return mapLines(shell, ({ key, value }) => {
    if (!Array.isArray(value.outlinks)) return ''
    const parse = parseOfLine(key, value)
    return linksOf(parse)
      .map(({ to, anchor }) => linkToLine({ from: parse.url, to: urlOfKey(to), anchor, score: 0, metadata: noMetadata }))
      .join('')
  })
}

function mapLines(shell: ShellStage, map: (line: ReturnType<typeof parseLine>) => string) {
  return async function* mapLine(chunks: Chunks): AsyncGenerator<string> {
    for await (const line of splitLines()(chunks)) {
      const text = readOrReport(shell, line, () => (line.text === '' ? '' : map(parseLine(line.text))))
      if (text !== undefined && text !== '') yield text
    }
  }
}

/** What `read` gives, or undefined where the line cannot be read: then it is counted and logged with its number. */
export function readOrReport<T>({ context, isStrict }: ShellStage, line: Line, read: () => T): T | undefined {
  try {
    if (line.fault !== undefined) throw line.fault
    return read()
  } catch (error) {
    if (!(error instanceof CrawlError)) throw error
    if (isStrict) throw new CrawlError('LINE_INVALID', `line ${line.number}: ${messageOf(error)}`, { cause: error })
    context.counters.add('stage/unreadable')
    context.log.warn({ line: line.number, reason: messageOf(error) }, 'line left out')
    return undefined
  }
}
