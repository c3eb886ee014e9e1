import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import { HostCursor } from '../../lib/crawldb/due-cursors.js'
import { bucketOf } from '../../lib/crawldb/sort-bucket.js'
import { tables } from '../../lib/crawldb/tables.js'
import type { DbDatum } from '../../lib/record/records.js'
import { domainRange, hostRange, type KeyRange, keyOfUrl, reversedHostOfKey } from '../../lib/record/url-key.js'
import { hostOf, registeredDomainOf } from '../../lib/url/hosts.js'

/** Records of the same host, or of the same registered domain, that are due and have a higher sort value, counted up to `atMost`; of those
 *  whose value is about the same, the ones before it in the index. */
export async function dueBefore(crawlDb: CrawlDb, datum: DbDatum, mode: 'host' | 'domain', atMost: number): Promise<number> {
  const key = keyOfUrl(datum.url)
  const ownHost = reversedHostOfKey(key)
  const own = bucketOf(crawlDb.sortValueOf(datum))
  const host = hostOf(datum.url)
  let before = 0
  for await (const due of dueHosts(crawlDb, mode === 'domain' ? domainRange(registeredDomainOf(host)) : hostRange(host))) {
    const cursor = new HostCursor(crawlDb.level, due)
    const comesBefore = (bucket: string): boolean => bucket < own || (bucket === own && due <= ownHost)
    for (let bucket = await cursor.bucket(); bucket !== undefined && comesBefore(bucket) && before < atMost; bucket = await cursor.bucket()) {
      const next = await cursor.take(bucket)
      if (next === undefined || next === key) break
      before++
    }
    if (before >= atMost) break
  }
  return before
}

/** Hosts within a range of keys that have something due, as keys spell them. */
async function* dueHosts({ level }: CrawlDb, { gte, lt }: KeyRange): AsyncGenerator<string> {
  for (let from = gte; ; ) {
    const [first] = await level.keys({ gte: tables.due + from, lt: tables.due + lt, limit: 1 }).all()
    if (first === undefined) return
    const host = reversedHostOfKey(first.slice(tables.due.length))
    yield host
    from = `${host}\u0002` // behind its keys, before those of hosts below it
  }
}
