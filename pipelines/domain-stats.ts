import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { rawDatum } from '../lib/crawldb/datum-codec.js'
import { statusCodes } from '../lib/record/status.js'
import { hostOfReversed, reversedHostOfKey } from '../lib/record/url-key.js'
import { publicSuffixOf, registeredDomainOf, topLevelOf } from '../lib/url/hosts.js'

/** What records are counted by. */
export const groupModes = ['host', 'domain', 'suffix', 'tld'] as const
export type GroupMode = (typeof groupModes)[number]

/** Records of a host, domain, suffix or top level. */
export interface GroupCount {
  readonly name: string
  /** Records with db_fetched or db_notmodified. */
  readonly fetched: number
  /** All records. */
  readonly urls: number
}

/**
 * Counts records by group (Nutch's DomainStatistics): one scan, in which hosts and domains come in the order of keys and stay in memory
 * only while they are counted. Suffixes and top levels, of which there are few, come at the end in the order of their names.
 */
export async function* countByGroup(crawlDb: CrawlDb, mode: GroupMode, signal?: AbortSignal): AsyncGenerator<GroupCount> {
  const isContiguous = mode === 'host' || mode === 'domain'
  const others = new Map<string, GroupCount>()
  let current: GroupCount | undefined
  for await (const host of countHosts(crawlDb, signal)) {
    const name = nameOf(host.name, mode)
    if (!isContiguous) others.set(name, added(others.get(name), { ...host, name }))
    else if (current?.name === name) current = added(current, host)
    else {
      if (current !== undefined) yield current
      current = { ...host, name }
    }
  }
  if (current !== undefined) yield current
  yield* [...others.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The `limit` groups with the most that were fetched, then the most records, in that order; in memory stand about twice as many. */
export async function largestGroups(groups: AsyncIterable<GroupCount>, limit: number): Promise<GroupCount[]> {
  const larger = (a: GroupCount, b: GroupCount): number => b.fetched - a.fetched || b.urls - a.urls || (a.name < b.name ? -1 : 1)
  let best: GroupCount[] = []
  for await (const group of groups) if (best.push(group) >= limit * 2 + 1000) best = best.sort(larger).slice(0, limit)
  return best.sort(larger).slice(0, limit)
}

async function* countHosts(crawlDb: CrawlDb, signal: AbortSignal | undefined): AsyncGenerator<GroupCount> {
  let reversed: string | undefined
  let fetched = 0
  let urls = 0
  for await (const batch of crawlDb.scan()) {
    signal?.throwIfAborted()
    for (const [key, bytes] of batch) {
      if (reversed === undefined || key[reversed.length] !== '\u0001' || !key.startsWith(reversed)) {
        if (reversed !== undefined) yield { name: hostOfReversed(reversed), fetched, urls }
        reversed = reversedHostOfKey(key)
        fetched = 0
        urls = 0
      }
      const status = rawDatum.statusCode(bytes)
      if (status === statusCodes.db_fetched || status === statusCodes.db_notmodified) fetched++
      urls++
    }
  }
  if (reversed !== undefined) yield { name: hostOfReversed(reversed), fetched, urls }
}

/** A host that has no suffix, such as an address, stands for itself. */
function nameOf(host: string, mode: GroupMode): string {
  switch (mode) {
    case 'host':
      return host
    case 'domain':
      return registeredDomainOf(host)
    case 'suffix':
      return publicSuffixOf(host) ?? host
    case 'tld':
      return topLevelOf(host) ?? host
    default:
      return mode satisfies never
  }
}

function added(a: GroupCount | undefined, b: GroupCount): GroupCount {
  return a === undefined ? b : { name: a.name, fetched: a.fetched + b.fetched, urls: a.urls + b.urls }
}
