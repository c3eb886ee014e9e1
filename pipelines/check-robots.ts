import type { Config } from '../lib/config/options.js'
import { CrawlError, messageOf } from '../lib/errors/crawl-error.js'
import { fetchRobots } from '../lib/fetch/fetch-robots.js'
import type { HttpClient } from '../lib/fetch/http-client.js'
import { createRequestHeaders } from '../lib/fetch/request-headers.js'
import type { RobotsCopy } from '../lib/fetch/robots-keeper.js'
import { unlimitedTurns } from '../lib/fetch/turns.js'
import type { Clock } from '../lib/log/clock.js'
import type { Counters } from '../lib/log/counters.js'
import type { Logger } from '../lib/log/logger.js'
import { formatLine } from '../lib/record/line-format.js'
import type { AgentRules } from '../lib/robots/robots-rules.js'
import { splitLines } from '../lib/stream/split-lines.js'
import { readJsonText } from './check-urls.js'

export interface CheckRobotsJob {
  readonly rulesFor: (url: string) => Promise<Pick<RobotsCopy, 'rules' | 'cause'>>
  readonly counters: Counters
  readonly log: Logger
  /** Each line is a JSON string: the URL. */
  readonly isJsonInput: boolean
  /** Fails at the first line that cannot be read. */
  readonly isStrict: boolean
}

/** Lines of URLs to lines of what robots.txt says about each: allowed, group, rule, line, crawlDelayMs, sitemaps, and cause where it could not be had. */
export function checkRobotsLines(job: CheckRobotsJob) {
  return async function* checkRobots(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
    for await (const { number, text, fault } of splitLines()(chunks)) {
      if (fault === undefined && text.trim() === '') continue
      try {
        if (fault !== undefined) throw fault
        const url = job.isJsonInput ? readJsonText(text) : text
        yield formatLine(text, robotsAnswer(url, await job.rulesFor(url), job.counters))
      } catch (error) {
        if (!(error instanceof CrawlError)) throw error
        if (job.isStrict) throw new CrawlError('LINE_INVALID', `line ${number}: ${messageOf(error)}`, { cause: error })
        job.counters.add('unreadable')
        job.log.warn({ line: number, reason: messageOf(error) }, 'line left out')
      }
    }
  }
}

function robotsAnswer(url: string, { rules, cause }: Pick<RobotsCopy, 'rules' | 'cause'>, counters: Counters): Record<string, unknown> {
  const decision = rules?.decide(url) ?? { allowed: false, group: null, rule: null, line: null }
  counters.add(decision.allowed ? 'allowed' : 'denied')
  return {
    ...decision,
    crawlDelayMs: rules?.crawlDelayMs ?? null,
    sitemaps: (rules?.sitemaps ?? []).map(sitemap => absolute(sitemap, url)),
    ...(cause === undefined ? {} : { cause }),
  }
}

/** A sitemap may be named without its host, though it should not. */
function absolute(sitemap: string, url: string): string {
  return !URL.canParse(sitemap) && URL.canParse(sitemap, url) ? new URL(sitemap, url).href : sitemap
}

/** One set of rules for every URL. */
export function rulesFromFile(rules: AgentRules): CheckRobotsJob['rulesFor'] {
  return () => Promise.resolve({ rules })
}

/** Asks each origin once. @throws {CrawlError} URL_INVALID, from the function, for what is no http or https URL */
export function rulesFromOrigins({
  client,
  config,
  clock,
  agentNames,
  signal,
}: {
  readonly client: HttpClient
  readonly config: Config
  readonly clock: Clock
  readonly agentNames: readonly string[]
  readonly signal: AbortSignal
}): CheckRobotsJob['rulesFor'] {
  const byOrigin = new Map<string, RobotsCopy>()
  const headersFor = createRequestHeaders(config.http)
  return async text => {
    if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) throw new CrawlError('URL_INVALID', `${text}: no http or https URL`)
    const { origin, host } = new URL(text)
    const known = byOrigin.get(origin)
    const turn = await unlimitedTurns.take(host)
    if (known !== undefined || turn === undefined) return known ?? notAsked
    const found = await fetchRobots(origin, turn, {
      client,
      config: config.robots,
      agentNames,
      headersFor: asked => headersFor(asked, { startOrigin: origin }),
      nowMs: () => clock.nowMs(),
      turnFor: url => unlimitedTurns.take(url.host),
      endTurn: used => used.cancel(),
      signal,
    })
    const copy = found?.copy ?? notAsked
    byOrigin.set(origin, copy)
    return copy
  }
}

const notAsked: RobotsCopy = { rules: undefined, fetchedMs: 0, expiresMs: 0, cause: 'robots.txt was not asked for' }
