import { ClassicLevel } from 'classic-level'
import { configWith } from '../../lib/config/resolve-config.js'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import { withCrawlDb } from '../../lib/crawldb/open.js'
import type { DbDatum } from '../../lib/record/records.js'
import { keyOfUrl } from '../../lib/record/url-key.js'

/** Opens the CrawlDb of a folder, ordered by score; made if none stands there. */
export function withTestDb<T>(
  folder: string,
  use: (crawlDb: CrawlDb) => Promise<T>,
  { isCreating = true, fingerprint = 'by score' } = {},
): Promise<T> {
  const order = { sortValueOf: (datum: DbDatum) => datum.score, fingerprint }
  return withCrawlDb({ folder, config: configWith().db, order, isCreating, command: 'spec' }, use)
}

/** Puts records into the db, each in place of the one that its URL has. */
export async function putRecords(crawlDb: CrawlDb, records: readonly DbDatum[]): Promise<void> {
  const byKey = new Map(records.map(datum => [keyOfUrl(datum.url), datum]))
  const keys = [...byKey.keys()].sort()
  await crawlDb.commits.run(async () => {
    const olds = await crawlDb.readMany(keys)
    await crawlDb.commit(
      keys.map((key, index) => ({ key, old: olds[index], next: byKey.get(key) })),
      [],
      true,
    )
  })
}

/** Every key and value of a LevelDB folder, as hex where it is not text: two databases are equal exactly when these are. */
export async function readAllEntries(location: string): Promise<Map<string, string>> {
  const level = new ClassicLevel<Buffer, Buffer>(location, { keyEncoding: 'buffer', valueEncoding: 'buffer' })
  await level.open({ createIfMissing: false })
  try {
    return new Map((await level.iterator().all()).map(([key, value]) => [key.toString('latin1'), value.toString('hex')]))
  } finally {
    await level.close()
  }
}

/** Entries that only one of two databases has, or that differ, with both values; empty if the databases are equal. */
export function differences(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): string[] {
  const keys = [...new Set([...a.keys(), ...b.keys()])].filter(key => a.get(key) !== b.get(key))
  return keys.map(key => `${key}: ${shown(a.get(key))} | ${shown(b.get(key))}`)
}

function shown(hex: string | undefined): string {
  return hex === undefined ? 'none' : Buffer.from(hex, 'hex').toString('latin1')
}
