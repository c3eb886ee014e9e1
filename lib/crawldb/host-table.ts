import { CrawlError } from '../errors/crawl-error.js'
import type { DbDatum } from '../record/records.js'
import { type DbStatus, dbStatuses } from '../record/status.js'
import { hostOfReversed, reversedHost, reversedHostOfKey } from '../record/url-key.js'
import { type Change, type Level, writeChanges } from '../store/level-store.js'
import { readSorted } from '../store/read-sorted.js'
import type { Merged } from '../store/sorted-merge.js'
import { rawDatum } from './datum-codec.js'
import { type HostFacts, type HostOutcome, type HostUpdate, reduceHostFacts } from './rules/host-facts.js'
import { scanBatches } from './scan.js'
import { tables } from './tables.js'

/** Outcomes of fetches by the key of their URL's host (as keys spell it). */
export type HostOutcomes = ReadonlyMap<string, readonly HostOutcome[]>

/** The facts of a host, or undefined if it has no record. Synchronous, since a selection asks for many hosts one by one. @throws {CrawlError} RECORD_CORRUPT */
export function hostFactsSync(level: Level, host: string): HostFacts | undefined {
  const bytes = level.getSync(tables.host + reversedHost(host))
  return bytes === undefined ? undefined : readFacts(host, bytes)
}

/** The facts of every host, in the order of keys. @throws {CrawlError} RECORD_CORRUPT */
export async function* allHostFacts(level: Level): AsyncGenerator<HostFacts> {
  for await (const batch of scanBatches(level, tables.host)) for (const [reversed, bytes] of batch) yield readFacts(hostOfReversed(reversed), bytes)
}

/** What a batch does to the facts of the hosts that it touches: their records by status, and outcomes. To be written in the batch itself. */
export async function hostChanges(level: Level, merged: readonly Merged<DbDatum>[], outcomes: HostOutcomes = new Map()): Promise<Change[]> {
  const updates = new Map<string, HostUpdate[]>()
  const updatesOf = (reversed: string): HostUpdate[] => {
    const known = updates.get(reversed)
    if (known !== undefined) return known
    const fresh: HostUpdate[] = []
    updates.set(reversed, fresh)
    return fresh
  }
  for (const { key, old, next } of merged)
    if (old?.status !== next?.status) updatesOf(reversedHostOfKey(key)).push(statusChange(old?.status, next?.status))
  for (const [reversed, ofHost] of outcomes) updatesOf(reversed).push(...ofHost)
  const hosts = [...updates.keys()].sort()
  const before = await readSorted(level, tables.host, hosts)
  return hosts.map((reversed, index): Change => {
    const host = hostOfReversed(reversed)
    const bytes = before[index]
    const facts = reduceHostFacts(host, bytes === undefined ? undefined : readFacts(host, bytes), updates.get(reversed) ?? [])
    return facts === undefined ? { key: tables.host + reversed } : factsChange(reversed, facts)
  })
}

/** Counts the records of every host anew, and takes away hosts that have none: a scan. What else is known of a host stays. Gives the number of hosts. */
export async function recountHosts(level: Level): Promise<number> {
  let hosts = 0
  for await (const counted of hostCounts(level)) {
    hosts += counted.length
    const before = await level.getMany(counted.map(({ reversed }) => tables.host + reversed))
    const changes = counted.map(({ reversed, counts }, index) => {
      const host = hostOfReversed(reversed)
      const bytes = before[index]
      return factsChange(reversed, { ...(bytes === undefined ? newFacts(host) : readFacts(host, bytes)), counts })
    })
    await writeChanges(level, changes)
  }
  for await (const batch of scanBatches(level, tables.host)) {
    const changes: Change[] = []
    for (const [reversed] of batch) if (!(await hasRecords(level, reversed))) changes.push({ key: tables.host + reversed })
    await writeChanges(level, changes)
  }
  return hosts
}

/** Hosts whose facts do not count the records that there are. */
export async function* hostFaults(level: Level): AsyncGenerator<string> {
  let hosts = 0
  for await (const counted of hostCounts(level)) {
    hosts += counted.length
    const stored = await level.getMany(counted.map(({ reversed }) => tables.host + reversed))
    for (const [index, { reversed, counts }] of counted.entries()) {
      const host = hostOfReversed(reversed)
      const bytes = stored[index]
      const facts = bytes === undefined ? undefined : readFacts(host, bytes)
      if (!isSameCount(facts?.counts ?? {}, counts)) yield `${host}: counts ${JSON.stringify(facts?.counts)}, there are ${JSON.stringify(counts)}`
    }
  }
  let entries = 0
  for await (const batch of scanBatches(level, tables.host)) entries += batch.length
  if (entries > hosts) yield `${entries - hosts} hosts have no record`
}

interface CountedHost {
  readonly reversed: string
  readonly counts: Partial<Record<DbStatus, number>>
}

/** Records by status of each host, in the order of keys, in batches. */
async function* hostCounts(level: Level): AsyncGenerator<CountedHost[]> {
  let last: CountedHost | undefined
  for await (const batch of scanBatches(level, tables.datum)) {
    const done: CountedHost[] = []
    for (const [key, bytes] of batch) {
      const reversed = reversedHostOfKey(key)
      if (last?.reversed !== reversed) {
        if (last !== undefined) done.push(last)
        last = { reversed, counts: {} }
      }
      const status = rawDatum.status(bytes)
      last.counts[status] = (last.counts[status] ?? 0) + 1
    }
    if (done.length > 0) yield done
  }
  if (last !== undefined) yield [last]
}

async function hasRecords(level: Level, reversed: string): Promise<boolean> {
  const range = { gte: `${tables.datum}${reversed}\u0001`, lt: `${tables.datum}${reversed}\u0002` }
  return (await level.keys({ ...range, limit: 1 }).all()).length > 0
}

function newFacts(host: string): HostFacts {
  return { host, counts: {}, dnsFailures: 0, connectionFailures: 0, lastFetchMs: 0, responseMs: { min: 0, max: 0, centroids: [] } }
}

function isSameCount(a: HostFacts['counts'], b: HostFacts['counts']): boolean {
  return dbStatuses.every(status => (a[status] ?? 0) === (b[status] ?? 0))
}

function statusChange(from: DbStatus | undefined, to: DbStatus | undefined): HostUpdate {
  return { kind: 'record', ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
}

/** The host stands in the key. */
function factsChange(reversed: string, { host: _, ...facts }: HostFacts): Change {
  return { key: tables.host + reversed, value: Buffer.from(JSON.stringify(facts)) }
}

function readFacts(host: string, bytes: Buffer): HostFacts {
  try {
    return { host, ...(JSON.parse(bytes.toString()) as Omit<HostFacts, 'host'>) } // factsChange wrote it
  } catch (cause) {
    throw new CrawlError('RECORD_CORRUPT', `the facts of host ${host} do not read`, { cause })
  }
}
