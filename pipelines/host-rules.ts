import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { hostFactsSync } from '../lib/crawldb/host-table.js'
import { type HostFacts, hostVariable } from '../lib/crawldb/rules/host-facts.js'
import { CrawlError } from '../lib/errors/crawl-error.js'
import { expressionOver } from './expressions.js'
import type { GenerateJob } from './generate-job.js'

/** The job with the limits and delays that expressions over the HostDb give (Nutch: generate.max.count.expr, generate.fetch.delay.expr).
 *  @throws {CrawlError} USAGE for an expression that cannot be used, CONFIG_INVALID if the HostDb is not kept */
export function withHostRules(crawlDb: CrawlDb, job: GenerateJob): GenerateJob {
  const { maxCountExpression, delayExpression } = job.context.config.generate
  if (maxCountExpression === '' && delayExpression === '') return job
  if (crawlDb.state.keepsHosts !== true)
    throw new CrawlError('CONFIG_INVALID', 'generate.max.count.expr and generate.fetch.delay.expr want the HostDb: updatehostdb makes it')
  const factsOf = rememberedFacts(crawlDb)
  const maxCount = maxCountExpression === '' ? undefined : numberOf(maxCountExpression, factsOf)
  const delay = delayExpression === '' ? undefined : numberOf(delayExpression, factsOf)
  return {
    ...job,
    maxPerGroup: job.maxPerGroup ?? (maxCount === undefined ? undefined : host => limitOf(maxCount(host))),
    delayOf: job.delayOf ?? (delay === undefined ? undefined : host => delayMsOf(delay(host))),
  }
}

/** A selection asks for the hosts of a list over and over. */
function rememberedFacts(crawlDb: CrawlDb): (host: string) => HostFacts | undefined {
  const remembered = new Map<string, HostFacts | undefined>()
  return host => {
    if (remembered.has(host)) return remembered.get(host)
    const facts = hostFactsSync(crawlDb.level, host)
    if (remembered.size >= 100_000) remembered.clear()
    remembered.set(host, facts)
    return facts
  }
}

/** Undefined where nothing is known of the host, or the expression gives no number. */
function numberOf(text: string, factsOf: (host: string) => HostFacts | undefined): (host: string) => number | undefined {
  const expression = expressionOver(text, hostVariable)
  return host => {
    const facts = factsOf(host)
    const value = facts === undefined ? undefined : expression.value(facts)
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined
  }
}

/** Below 0 is no limit, as of `generate.max.count` itself; 0 leaves the host out (NUTCH-2461). */
function limitOf(value: number | undefined): number | undefined {
  if (value === undefined) return undefined
  const limit = Math.round(value)
  return limit < 0 ? Number.POSITIVE_INFINITY : limit
}

function delayMsOf(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.max(0, Math.round(value))
}
