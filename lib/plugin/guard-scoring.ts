import { isDbDatum } from '../record/datum-json.js'
import { isJsonObject } from '../record/line-format.js'
import type { CrawlDatum, DbDatum, Link } from '../record/records.js'
import { isStatus } from '../record/status.js'
import type { DistributedPage, ScoringFilter } from '../score/scoring-filter.js'
import { atOnce, callPlugin, shown } from './plugin-failure.js'
import type { LoadedPlugin } from './plugin-points.js'

/**
 * A plugin's scoring as the chain takes it: what it throws, or gives and must not, ends the job, for scores that are half right cannot be told from those
 * that are. Without a fingerprint of its own it has that of its module's text.
 */
export function guardScoring(loaded: LoadedPlugin<ScoringFilter>): ScoringFilter {
  const { plugin, digest } = loaded
  const call = <T>(hook: string, run: () => T): T => callPlugin(loaded, hook, run)
  const { injected, initial, generatorSortValue, distribute, update, orphaned, indexerBoost } = plugin
  return {
    name: plugin.name,
    fingerprint: plugin.fingerprint ?? digest,
    ...(injected && { injected: datum => call('injected', () => checkDatum(datum, atOnce(injected.call(plugin, datum)))) }),
    ...(initial && { initial: datum => call('initial', () => checkDatum(datum, atOnce(initial.call(plugin, datum)))) }),
    ...(generatorSortValue && {
      generatorSortValue: (datum, sort) => call('generatorSortValue', () => checkNumber(atOnce(generatorSortValue.call(plugin, datum, sort)))),
    }),
    ...(distribute && { distribute: (page, links) => call('distribute', () => checkLinks(page, atOnce(distribute.call(plugin, page, links)))) }),
    ...(update && { update: change => call('update', () => checkDatum(change.datum, atOnce(update.call(plugin, change)))) }),
    ...(orphaned && { orphaned: (datum, nowMs) => call('orphaned', () => checkDatum(datum, atOnce(orphaned.call(plugin, datum, nowMs)))) }),
    ...(indexerBoost && { indexerBoost: (datum, boost) => call('indexerBoost', () => checkNumber(atOnce(indexerBoost.call(plugin, datum, boost)))) }),
  }
}

function checkNumber(value: unknown): number {
  if (typeof value !== 'number' || Number.isNaN(value)) throw new TypeError(`gave ${shown(value)}; a number is wanted`)
  return value
}

const integerFields = ['fetchTimeMs', 'modifiedTimeMs', 'retries', 'fetchIntervalS'] as const

/** The record if it can be stored, and is still the same URL's. */
function checkDatum(before: DbDatum, after: DbDatum): DbDatum {
  if (!isJsonObject(after)) throw new TypeError(`gave ${shown(after)}; a record is wanted`)
  const datum: CrawlDatum = after
  if (datum.url !== before.url) throw new TypeError(`gave a record of ${shown(datum.url)} for ${before.url}`)
  if (!isStatus(datum.status) || !isDbDatum(datum)) throw new TypeError(`status: ${shown(datum.status)} is none of the CrawlDb`)
  for (const field of integerFields)
    if (!Number.isSafeInteger(datum[field])) throw new TypeError(`${field}: ${shown(datum[field])} is no whole number`)
  checkNumber(datum.score)
  checkMetadata(datum.metadata)
  return datum
}

/** The links if they are some of the page's. */
function checkLinks({ from, links }: DistributedPage, after: readonly Link[]): readonly Link[] {
  if (!Array.isArray(after)) throw new TypeError(`gave ${shown(after)}; a list of links is wanted`)
  const targets = new Set<string>(links.map(({ url }) => url))
  for (const link of after as readonly Link[]) {
    // an array, and each is looked at
    if (!isJsonObject(link) || link.from !== from.url || !targets.has(link.to)) throw new TypeError(`gave a link that is none of ${from.url}`)
    checkNumber(link.score)
    if (typeof link.anchor !== 'string') throw new TypeError(`anchor: ${shown(link.anchor)} is no text`)
    checkMetadata(link.metadata)
  }
  return after
}

function checkMetadata(metadata: unknown): void {
  if (!isJsonObject(metadata)) throw new TypeError(`metadata: ${shown(metadata)} is no object`)
  for (const [key, value] of Object.entries(metadata)) if (typeof value !== 'string') throw new TypeError(`metadata: ${key} is no text`)
}
