import type { Config } from '../lib/config/options.js'
import type { UrlScope } from '../lib/config/url-options.js'
import { injectedDatum } from '../lib/crawldb/rules/inject-rule.js'
import { CrawlError, messageOf } from '../lib/errors/crawl-error.js'
import type { Decision } from '../lib/explain/decision.js'
import type { Counters } from '../lib/log/counters.js'
import type { Logger } from '../lib/log/logger.js'
import { datumToJson } from '../lib/record/datum-json.js'
import { formatLine } from '../lib/record/line-format.js'
import { parseSeedLine } from '../lib/record/seed-line.js'
import { storedUrl } from '../lib/record/url.js'
import { bareReturnsAsFeeds } from '../lib/stream/bare-returns.js'
import { type Line, splitLines } from '../lib/stream/split-lines.js'
import { Pacer } from '../lib/url/pacer.js'
import type { TrapWatch } from '../lib/url/traps/trap-watch.js'
import type { Rejection, UrlFilters } from '../lib/url/url-filters.js'
import type { UrlNormalizers } from '../lib/url/url-normalizers.js'
import type { Plugins } from './plugins.js'
import { createSchedule } from './rules.js'

/** How lines of URLs are read and written by the stages `normalize` and `filter`. */
export interface CheckUrlsJob {
  readonly config: Config
  readonly plugins: Plugins
  readonly counters: Counters
  readonly log: Logger
  readonly nowMs: number
  /** Prints one decision for each line in place of the records that are accepted. */
  readonly isExplaining: boolean
  /** Each line is a JSON string: the URL. */
  readonly isJsonInput: boolean
  /** Fails at the first line that cannot be read. */
  readonly isStrict: boolean
}

/** What is done to one URL. */
interface UrlCheck {
  /** The URL of the accepted record, or undefined. */
  decide(raw: string): string | undefined
  explain(raw: string): Decision
}

/**
 * Lines of URLs, seeds or records to lines of records with normalized URLs, in order; what is no URL is absent, or with `isExplaining` there with
 * its reason.
 */
export function normalizeLines(job: CheckUrlsJob, normalizers: UrlNormalizers, scope: UrlScope) {
  return checkLines(job, { decide: raw => normalizers.tryNormalize(raw, scope), explain: raw => normalizers.explain(raw, scope) })
}

/** Lines of URLs, seeds or records to lines of the records whose URL the filters accept, in order. `traps` sees every accepted URL. */
export function filterLines(job: CheckUrlsJob, filters: UrlFilters, traps: TrapWatch) {
  const decide = (raw: string): string | undefined => {
    if (!filters.accepts(raw)) {
      reportError(job, raw, filters.rejection(raw))
      return undefined
    }
    return traps.admits(raw) ? raw : undefined
  }
  const explain = (raw: string): Decision => {
    const decision = filters.explain(raw)
    return decision.accepted ? traps.explain(raw, decision) : decision
  }
  return checkLines(job, { decide, explain })
}

/** A rejection that came about because a rule could not decide is told: an operator may act on it. */
function reportError({ counters, log }: CheckUrlsJob, url: string, rejection: Rejection | undefined): void {
  if (rejection?.filter === 'trap') counters.add('filter/trap')
  if (rejection?.isError !== true) return
  counters.add('filter/error')
  const { file, line, rule } = rejection.by
  log.warn({ url: url.slice(0, 200), filter: rejection.filter, file, line, rule, reason: rejection.reason }, 'rejected without a decision')
}

const chunkChars = 32 * 1024

function checkLines(job: CheckUrlsJob, check: UrlCheck) {
  const schedule = createSchedule(job.config)
  return async function* check_(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
    const pacer = new Pacer()
    let text = ''
    for await (const line of splitLines()(bareReturnsAsFeeds(chunks))) {
      text += checkLine(job, check, line, schedule) ?? ''
      if (text.length < chunkChars && !pacer.isDue) continue
      yield text
      text = ''
      await pacer.turn()
    }
    yield text
  }
}

function checkLine(job: CheckUrlsJob, check: UrlCheck, line: Line, schedule: ReturnType<typeof createSchedule>): string | undefined {
  const { counters } = job
  try {
    const input = readInput(job, line)
    if (input === undefined) return undefined
    counters.add('read')
    if (job.isExplaining) return explainLine(counters, input, check.explain(input.urlText))
    const url = check.decide(input.urlText)
    counters.add(url === undefined ? 'rejected' : 'accepted')
    return url === undefined ? undefined : recordLine(job, input, url, schedule)
  } catch (error) {
    if (!(error instanceof CrawlError)) throw error
    if (job.isStrict) throw new CrawlError('LINE_INVALID', `line ${line.number}: ${messageOf(error)}`, { cause: error })
    counters.add('unreadable')
    job.log.warn({ line: line.number, reason: messageOf(error) }, 'line left out')
    return undefined
  }
}

/** One line of input: its key as given, the URL it names, and what stands behind. */
interface UrlInput {
  readonly number: number
  readonly key: string
  readonly urlText: string
  readonly rest: string
}

function readInput({ isJsonInput }: CheckUrlsJob, line: Line): UrlInput | undefined {
  if (line.fault !== undefined) throw line.fault
  if (isJsonInput) return line.text.trim() === '' ? undefined : { number: line.number, key: line.text, urlText: readJsonText(line.text), rest: '' }
  const text = line.text.replace(/^\ufeff/, '') // where lists that begin with a byte order mark were put together
  if (text.trim() === '' || text.startsWith('#')) return undefined
  const tab = text.indexOf('\t')
  const key = tab < 0 ? text : text.slice(0, tab)
  return { number: line.number, key, urlText: key, rest: tab < 0 ? '' : text.slice(tab) }
}

/** The text of a line that is one JSON string. @throws {CrawlError} LINE_INVALID */
export function readJsonText(text: string): string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new CrawlError('LINE_INVALID', 'no JSON', { cause })
  }
  if (typeof value !== 'string') throw new CrawlError('LINE_INVALID', 'a JSON string is wanted')
  return value
}

function explainLine(counters: Counters, { key }: UrlInput, decision: Decision): string {
  counters.add(decision.accepted ? 'accepted' : 'rejected')
  return formatLine(key, decision)
}

/** The record of an accepted line: its own, or that of a seed with status injected. */
function recordLine({ config, nowMs, log }: CheckUrlsJob, input: UrlInput, url: string, schedule: ReturnType<typeof createSchedule>): string {
  const key = /[\t\n\r]/.test(url) ? input.key : url
  const seed = parseSeedLine(`x${input.rest}`) // the URL is ours already: what stands behind it is read
  if (seed.kind === 'record') return formatLine(key, seed.json)
  if (seed.kind === 'blank') return ''
  for (const problem of seed.problems) log.warn({ url, line: input.number, reason: problem }, 'seed')
  return formatLine(key, datumToJson(injectedDatum(storedUrl(url), seed.seed, { schedule, db: config.db, nowMs })))
}
