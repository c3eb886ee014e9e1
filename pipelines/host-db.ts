import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { type HostOutcomes, hostChanges, recountHosts } from '../lib/crawldb/host-table.js'
import { type HostFacts, type HostOutcome, responseQuantileMs } from '../lib/crawldb/rules/host-facts.js'
import { tableRange, tables } from '../lib/crawldb/tables.js'
import { metadataKeys } from '../lib/record/metadata.js'
import type { DbDatum, FetchOutcome } from '../lib/record/records.js'
import { keyOfUrl, reversedHostOfKey } from '../lib/record/url-key.js'
import { listSegments } from '../lib/segment/segment.js'
import { writeChanges } from '../lib/store/level-store.js'
import type { MergeTarget } from '../lib/store/sorted-merge.js'
import { addToList } from '../lib/stream/add-to-list.js'
import type { JobContext } from './job.js'

/** An outcome as the facts of its host see it. */
export function hostOutcomeOf({ url, timing, fetchTimeMs, httpStatus, causeClass, metadata, redirect }: FetchOutcome): HostOutcome {
  const responseMs = Number(metadata[metadataKeys.responseTime] ?? Number.NaN)
  return {
    kind: 'outcome',
    url,
    timeMs: fetchTimeMs ?? timing.endMs,
    isAnswered: httpStatus !== undefined,
    ...(causeClass === undefined ? {} : { causeClass }),
    ...(Number.isFinite(responseMs) ? { responseMs } : {}),
    ...(redirect?.target === undefined ? {} : { redirectTo: redirect.target }),
  }
}

/** Collects outcomes while a merge reduces keys, and hands them to the batch that their keys are in. */
export class HostKeeper {
  #ofBatch = new Map<string, HostOutcome[]>()

  add(key: string, outcome: HostOutcome): void {
    const reversed = reversedHostOfKey(key)
    addToList(this.#ofBatch, reversed, outcome)
  }

  /** The CrawlDb as the target of a merge whose batches bring their hosts' outcomes along. A batch is prepared once its keys are reduced. */
  targetOf(crawlDb: CrawlDb): MergeTarget<DbDatum> {
    return {
      commits: crawlDb.commits,
      ledger: crawlDb.ledger,
      readSorted: keys => crawlDb.readSorted(keys),
      prepare: merged => {
        const outcomes = this.#ofBatch
        this.#ofBatch = new Map()
        return crawlDb.prepare(merged, outcomes)
      },
    }
  }
}

export interface HostDbReport {
  readonly hosts: number
  /** Outcomes of segments that are here and were merged. */
  readonly outcomes: number
}

/** Makes the facts of all hosts anew from the records (a scan) and from the segments that are here; from then on every job keeps them up to date. */
export async function buildHostDb(crawlDb: CrawlDb, { folder, signal }: JobContext): Promise<HostDbReport> {
  return crawlDb.commits.run(async () => {
    await crawlDb.commit([], [], true, { keepsHosts: false })
    await crawlDb.level.clear(tableRange(tables.host))
    const hosts = await recountHosts(crawlDb.level)
    let outcomes = 0
    for (const segment of await listSegments(folder.segments)) {
      if ((await crawlDb.ledger.appliedAtMs(segment.name)) === undefined) continue
      for await (const batch of segment.readOutcomes(signal === undefined ? {} : { signal })) {
        outcomes += batch.length
        await writeChanges(crawlDb.level, await hostChanges(crawlDb.level, [], byHost(batch)))
      }
    }
    await crawlDb.commit([], [], true, { keepsHosts: true })
    return { hosts, outcomes }
  })
}

/** Takes the facts of hosts away; no job keeps them any more. */
export async function dropHostDb(crawlDb: CrawlDb): Promise<void> {
  await crawlDb.commits.run(async () => {
    await crawlDb.commit([], [], true, { keepsHosts: false })
    await crawlDb.level.clear(tableRange(tables.host))
  })
}

function byHost(outcomes: readonly FetchOutcome[]): HostOutcomes {
  const found = new Map<string, HostOutcome[]>()
  for (const outcome of outcomes) {
    const reversed = reversedHostOfKey(keyOfUrl(outcome.url))
    addToList(found, reversed, hostOutcomeOf(outcome))
  }
  return found
}

/** The facts of a host as JSON: records by status, failures, and response times as quantiles, ms. */
export function hostFactsToJson(facts: HostFacts, percentiles: readonly number[]): Record<string, unknown> {
  const { counts, dnsFailures, connectionFailures, lastFetchMs, homepage, responseMs } = facts
  const quantiles = percentiles.map(percent => [`p${percent}`, tenths(responseQuantileMs(facts, percent / 100) ?? 0)])
  const answers = responseMs.centroids.reduce((sum, [, weight]) => sum + weight, 0)
  return {
    counts,
    dnsFailures,
    connectionFailures,
    lastFetchMs,
    homepage,
    answers,
    ...(answers === 0 ? {} : { responseMs: { min: responseMs.min, ...Object.fromEntries(quantiles), max: responseMs.max } }),
  }
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10
}
