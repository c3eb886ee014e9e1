import { copyFileSync, linkSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { configWith } from '../../../lib/config/resolve-config.js'
import type { CrawlDb } from '../../../lib/crawldb/crawl-db.js'
import { ManualClock } from '../../../lib/log/clock.js'
import { silentLogger } from '../../../lib/log/logger.js'
import { finiteFloat32 } from '../../../lib/record/float32.js'
import { noMetadata } from '../../../lib/record/metadata.js'
import type { DbDatum } from '../../../lib/record/records.js'
import { keyOfUrl } from '../../../lib/record/url-key.js'
import { createJobContext, withJobDb } from '../../../pipelines/job.js'
import type { Bench } from '../bench.js'
import { cachedFolder } from './cached.js'
import { madeUrl, scattered } from './made-urls.js'

/** The time at which measures on a made db run, as `--now`: what is due in it has been so for a day, the rest will be in 20 days. */
export const dbTimeMs = Date.UTC(2026, 0, 31)
const dayMs = 86_400_000
const recordsPerBatch = 5000
const keyAfterAll = '\u007f'

export interface MadeDb {
  readonly urls: number
  /** How many of them are due, evenly over the hosts: unfetched; the rest were fetched. */
  readonly due: number
}

/** A crawl folder with such a CrawlDb, from the cache. Nothing may be changed in it: see `linkedCrawl`. */
export function madeDb(bench: Bench, { urls, due }: MadeDb): Promise<string> {
  return cachedFolder(bench, `db-${urls}-${due}-due`, folder => buildDb(folder, { urls, due }))
}

/** Writes the records through the CrawlDb itself, in the order of keys and without the sorting of a job, then lets LevelDB settle. */
async function buildDb(folder: string, { urls, due }: MadeDb): Promise<void> {
  const context = createJobContext({ folder, config: configWith(), clock: new ManualClock(dbTimeMs), log: silentLogger, command: 'bench' })
  await withJobDb(
    context,
    async crawlDb => {
      for (let from = 0; from < urls; from += recordsPerBatch) await putBatch(crawlDb, from, Math.min(urls, from + recordsPerBatch), { urls, due })
      await crawlDb.commits.run(() => crawlDb.commit([], [], true))
      await crawlDb.level.compactRange('!', '"')
    },
    true,
  )
}

function putBatch(crawlDb: CrawlDb, from: number, to: number, made: MadeDb): Promise<void> {
  const records = Array.from({ length: to - from }, (_, offset) => madeDatum(from + offset, made))
  const changes = records.map(next => ({ key: keyOfUrl(next.url), old: undefined, next }))
  const waterMark = { timeMs: dbTimeMs, key: keyAfterAll }
  return crawlDb.commits.run(() => crawlDb.commit(changes, [], false, { waterMark }))
}

/** Record number `index`: scores over four orders of magnitude, signatures all different. */
export function madeDatum(index: number, { urls, due }: MadeDb): DbDatum {
  const isDue = Math.floor(((index + 1) * due) / urls) > Math.floor((index * due) / urls)
  const common = { url: madeUrl(index), modifiedTimeMs: 0, retries: 0, fetchIntervalS: 2_592_000, metadata: noMetadata }
  const score = finiteFloat32(10 ** (-4 * (scattered(index, urls) / urls)))
  if (isDue) return { ...common, status: 'db_unfetched', fetchTimeMs: dbTimeMs - dayMs, score }
  const signature = new Uint8Array(16)
  new DataView(signature.buffer).setUint32(0, Math.imul(index, 2_654_435_761))
  new DataView(signature.buffer).setUint32(8, index)
  return { ...common, status: 'db_fetched', fetchTimeMs: dbTimeMs + 20 * dayMs + (index % 1000) * 60_000, score, signature }
}

/** Makes `to` a crawl folder with the same db. LevelDB never changes a table it wrote, so tables are linked; all else is copied. */
export function linkCrawl(from: string, to: string): void {
  mkdirSync(join(to, 'crawldb'), { recursive: true })
  for (const name of readdirSync(join(from, 'crawldb'))) {
    const [source, target] = [join(from, 'crawldb', name), join(to, 'crawldb', name)]
    if (name.endsWith('.ldb')) linkSync(source, target)
    else copyFileSync(source, target)
  }
  copyFileSync(join(from, 'crawldb.seal'), join(to, 'crawldb.seal'))
}

/** Bytes on disk of a crawl's db. */
export function dbBytes(folder: string): number {
  return readdirSync(join(folder, 'crawldb')).reduce((sum, name) => sum + statSync(join(folder, 'crawldb', name)).size, 0)
}
