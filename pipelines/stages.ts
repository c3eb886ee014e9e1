import { rm } from 'node:fs/promises'
import { PassThrough, Transform } from 'node:stream'
import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { type FetchPagesOptions, fetchPages } from '../lib/fetch/fetch-pages.js'
import { datumToLine, isDbDatum } from '../lib/record/datum-json.js'
import type { FetchedPage } from '../lib/record/exchange.js'
import type { CrawlDatum, FetchOutcome, Link, Parse } from '../lib/record/records.js'
import { storedUrl } from '../lib/record/url.js'
import type { Scoring } from '../lib/score/create-scoring.js'
import { flatMapRecords, mapRecords, type Stage } from '../lib/stream/stage.js'
import { wasCutOff } from './fetch.js'
import { type InjectReport, injectInto } from './inject.js'
import type { JobContext } from './job.js'
import { PageWork, type PageWorkParts, pageInputOf } from './page-work.js'
import { redirectLinks } from './redirect-links.js'
import { spoolSeeds } from './seed-files.js'

export { type FetchPagesOptions, fetchPages }

/** Gives records that come from seeds the score that the scoring chain gives them; those of the CrawlDb pass. */
export function scoreRecords(scoring: Scoring): Stage<CrawlDatum, CrawlDatum> {
  return mapRecords(function scoreRecord(datum: CrawlDatum) {
    return isDbDatum(datum) ? datum : { ...datum, score: scoring.injected({ ...datum, status: 'db_unfetched' }).score }
  })
}

/** A page that was fetched, and what was read from it; only a success has a parse. */
export interface ParsedPage {
  readonly outcome: FetchOutcome
  readonly parse?: Parse
  /** What the page contributes to the pages it links to, and a redirect to its target. */
  readonly links: readonly Link[]
}

/** Parses the pages that come from `fetchPages`. A page that cannot be parsed has a parse that says so. */
export function parsePages(parts: PageWorkParts): Stage<FetchedPage, ParsedPage> {
  const work = new PageWork(parts)
  return flatMapRecords(
    function* parsePage(page: FetchedPage) {
      const { outcome, exchanges } = page
      const exchange = exchanges.at(-1)
      if (wasCutOff(page)) return
      if (outcome.status !== 'fetch_success' || exchange === undefined) yield { outcome, links: redirectLinks(outcome, parts.scoring) }
      else yield { outcome, ...work.parse(outcome.url, outcome.datum, pageInputOf(exchange, outcome.truncated !== undefined)) }
    },
    { highWaterMarkRecords: 1 },
  )
}

/**
 * Merges records into the CrawlDb by the rule of inject, when the last one has come; gives one report. Records wait on disk, so any number of them takes
 * bounded memory, and a merge that is killed can go on. A pipeline that fails or is aborted before merges nothing.
 */
export function mergeRecords(crawlDb: CrawlDb, context: JobContext): Stage<CrawlDatum, InjectReport> {
  const lines = new PassThrough()
  const spooled = spoolSeeds(lines, context.folder.spool)
  const merge = async (): Promise<InjectReport> => {
    lines.end()
    const file = await spooled
    const report = await injectInto(crawlDb, { context, files: [file], rules: { normalize: storedUrl, accepts: () => true } })
    await rm(file, { force: true })
    return report
  }
  const stage: Stage<CrawlDatum, InjectReport> = new Transform({
    objectMode: true,
    highWaterMark: 16,
    transform(datum: CrawlDatum, _encoding, done) {
      if (lines.write(datumToLine(datum))) done()
      else lines.once('drain', done)
    },
    flush(done) {
      merge().then(
        report => done(null, report),
        error => done(error),
      )
    },
    destroy(error, done) {
      lines.destroy() // ends the spooling too, which removes what it wrote
      spooled.then(
        () => done(error),
        () => done(error),
      )
    },
  })
  spooled.catch(error => stage.destroy(error)) // a disk that takes no more: nothing would ask for the next record
  return stage
}
