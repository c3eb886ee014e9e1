import type { DbDatum } from '../record/records.js'
import type { CrawlDb } from './crawl-db.js'
import { signaturePrefix, tableRange, tables } from './tables.js'

/** A group larger than this is given in parts of this size: memory stays bounded. */
const maxGroup = 100_000

/** Records with equal signatures, a group at a time, through the signature index; groups below `minSize` are passed over without being read. */
export async function* signatureGroups(crawlDb: CrawlDb, minSize: number): AsyncGenerator<DbDatum[]> {
  let signature = ''
  let keys: string[] = []
  const iterator = crawlDb.level.keys({ ...tableRange(tables.signature), fillCache: false })
  try {
    for (let batch = await iterator.nextv(1000); batch.length > 0; batch = await iterator.nextv(1000)) {
      for (const entry of batch) {
        const cut = entry.indexOf('!', tables.signature.length)
        const next = entry.slice(tables.signature.length, cut)
        if (next !== signature || keys.length >= maxGroup) {
          if (keys.length >= minSize) yield await readGroup(crawlDb, keys)
          signature = next
          keys = []
        }
        keys.push(entry.slice(cut + 1))
      }
    }
  } finally {
    await iterator.close()
  }
  if (keys.length >= minSize) yield readGroup(crawlDb, keys)
}

/** Records with this signature, in the order of keys. */
export async function* recordsWithSignature(crawlDb: CrawlDb, signature: Uint8Array): AsyncGenerator<DbDatum> {
  const prefix = signaturePrefix(signature)
  for await (const entry of crawlDb.level.keys({ gte: prefix, lt: `${prefix.slice(0, -1)}"` })) {
    yield* await readGroup(crawlDb, [entry.slice(prefix.length)])
  }
}

async function readGroup(crawlDb: CrawlDb, keys: readonly string[]): Promise<DbDatum[]> {
  return (await crawlDb.readMany(keys)).filter(datum => datum !== undefined)
}
