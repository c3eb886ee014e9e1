import { isCrawlError, messageOf } from '../errors/crawl-error.js'
import type { DbDatum } from '../record/records.js'
import { type DbStatus, dbStatuses } from '../record/status.js'
import { urlOfKey } from '../record/url-key.js'
import { ledgerPrefixes } from '../store/job-ledger.js'
import { trailPrefix } from './batch-trail.js'
import type { CrawlDb } from './crawl-db.js'
import { decodeDatum } from './datum-codec.js'
import { hostFaults } from './host-table.js'
import { indexKeyOf, placeOf, signatureKeyOf } from './place.js'
import { bucketLength } from './sort-bucket.js'
import { endOf, tableRange, tables } from './tables.js'

/** One thing in the db that is not as it should be. */
export interface Finding {
  readonly table: string
  readonly url?: string
  /** The entry itself, where it is one that belongs to no table. */
  readonly key?: string
  readonly problem: string
}

/** Checks every record, that each index holds exactly what follows from the records, and the counts. Two passes, in bounded memory. */
export async function* verifyCrawlDb(crawlDb: CrawlDb): AsyncGenerator<Finding> {
  const expected = { wait: 0, due: 0, signature: 0 }
  const byStatus: Partial<Record<DbStatus, number>> = {}
  for await (const batch of crawlDb.scan()) {
    const wanted: { readonly url: string; readonly indexKey: string }[] = []
    for (const [key, bytes] of batch) {
      const datum = tryDecode(key, bytes)
      if (typeof datum === 'string') {
        yield { table: 'datum', url: urlOfKey(key), problem: datum }
        continue
      }
      byStatus[datum.status] = (byStatus[datum.status] ?? 0) + 1
      const place = placeOf(key, datum, crawlDb.state.waterMark, crawlDb.sortValueOf)
      expected[place.bucket === undefined ? 'wait' : 'due']++
      wanted.push({ url: datum.url, indexKey: indexKeyOf(key, place) })
      const signature = signatureKeyOf(key, datum)
      if (signature === undefined) continue
      expected.signature++
      wanted.push({ url: datum.url, indexKey: signature })
    }
    const found = await crawlDb.level.hasMany(wanted.map(({ indexKey }) => indexKey))
    for (const [index, { url, indexKey }] of wanted.entries()) {
      if (found[index] !== true) yield { table: indexKey.split('!')[1] ?? '', url, problem: 'the entry of this record is missing' }
    }
  }
  yield* verifyEntryCounts(crawlDb, expected)
  yield* verifyHeads(crawlDb)
  if (crawlDb.state.keepsHosts === true) for await (const problem of hostFaults(crawlDb.level)) yield { table: 'host', problem }
  yield* verifyOthers(crawlDb)
  for (const status of dbStatuses) {
    const [stored, counted] = [crawlDb.state.byStatus[status] ?? 0, byStatus[status] ?? 0]
    if (stored !== counted) yield { table: 'meta', problem: `the state counts ${stored} records with ${status}, there are ${counted}` }
  }
}

function tryDecode(key: string, bytes: Buffer): DbDatum | string {
  try {
    return decodeDatum(key, bytes)
  } catch (error) {
    if (isCrawlError(error, 'RECORD_VERSION')) throw error // not damaged: nothing may mend it
    return messageOf(error)
  }
}

async function* verifyEntryCounts(crawlDb: CrawlDb, expected: Readonly<Record<'wait' | 'due' | 'signature', number>>): AsyncGenerator<Finding> {
  for (const table of ['wait', 'due', 'signature'] as const) {
    let count = 0
    for await (const batch of keyBatches(crawlDb, tables[table])) count += batch.length
    if (count > expected[table]) yield { table, problem: `${count - expected[table]} entries have no record` }
  }
}

/** Each host with something due has one head, its best bucket, and no other host has one. */
async function* verifyHeads(crawlDb: CrawlDb): AsyncGenerator<Finding> {
  let hosts = 0
  let lastHost: string | undefined
  for await (const batch of keyBatches(crawlDb, tables.due)) {
    for (const key of batch) {
      const hostEnd = key.indexOf('\u0001')
      const host = key.slice(tables.due.length, hostEnd)
      if (host === lastHost) continue
      lastHost = host
      hosts++
      const bucket = key.slice(hostEnd + 1, hostEnd + 1 + bucketLength)
      const head = (await crawlDb.level.get(tables.headof + host))?.toString('latin1')
      if (head !== bucket) yield { table: 'headof', problem: `${urlHost(host)}: head ${head ?? 'missing'}, best due ${bucket}` }
      if (!(await crawlDb.level.has(tables.heads + bucket + host))) yield { table: 'heads', problem: `${urlHost(host)}: the head is missing` }
    }
  }
  for (const table of ['heads', 'headof'] as const) {
    let count = 0
    for await (const batch of keyBatches(crawlDb, tables[table])) count += batch.length
    if (count > hosts) yield { table, problem: `${count - hosts} entries of hosts that have nothing due` }
  }
}

/** What is no record and no index: entries of no table, and ledger entries that do not read. */
async function* verifyOthers({ level, ledger }: CrawlDb): AsyncGenerator<Finding> {
  let from = ''
  for (const prefix of [...Object.values(tables), ...ledgerPrefixes, trailPrefix].sort()) {
    for await (const key of level.keys({ gte: from, lt: prefix }))
      yield { table: '', key, problem: `an entry ${JSON.stringify(key)} that belongs to no table` }
    from = prefix === tables.state ? `${prefix}\u0000` : endOf(prefix)
  }
  for await (const key of level.keys({ gte: from })) yield { table: '', key, problem: `an entry ${JSON.stringify(key)} that belongs to no table` }
  for (const problem of await ledger.faults()) yield { table: 'ledger', problem }
}

function urlHost(reversed: string): string {
  return reversed.split('\u0002').reverse().join('.')
}

async function* keyBatches(crawlDb: CrawlDb, prefix: string): AsyncGenerator<string[]> {
  const keys = crawlDb.level.keys({ ...tableRange(prefix), fillCache: false })
  try {
    for (let batch = await keys.nextv(2000); batch.length > 0; batch = await keys.nextv(2000)) yield batch
  } finally {
    await keys.close()
  }
}
