import { copyFileSync, linkSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { configWith } from '../../../lib/config/resolve-config.js'
import { ManualClock } from '../../../lib/log/clock.js'
import { silentLogger } from '../../../lib/log/logger.js'
import type { Level } from '../../../lib/store/level-store.js'
import { createJobContext, withJobDb } from '../../../pipelines/job.js'
import type { Bench } from '../bench.js'
import { cachedFolder } from './cached.js'
import { fillDb } from './fill-db.js'
import { urlsPerHost } from './made-urls.js'

/** The time at which measures on a made db run, as `--now`: what is due in it is so then, the rest will be in the month after. */
export const dbTimeMs = Date.UTC(2026, 0, 31)
const keyAfterAll = '\u007f'

export interface MadeDb {
  /** A multiple of `urlsPerHost`. */
  readonly urls: number
  /** How many of them are due, evenly over the hosts: unfetched; the rest were fetched. */
  readonly due: number
}

/** A crawl folder with such a CrawlDb, from the cache. Nothing may be changed in it: see `linkCrawl`. */
export function madeDb(bench: Bench, { urls, due }: MadeDb): Promise<string> {
  return cachedFolder(bench, `db-${urls}-${due}-due`, folder => buildDb(folder, { urls, due }))
}

/** Writes the records through the CrawlDb itself, in the order of keys and without the sorting of a job, then lets LevelDB settle. */
async function buildDb(folder: string, { urls, due }: MadeDb): Promise<void> {
  const context = createJobContext({ folder, config: configWith(), clock: new ManualClock(dbTimeMs), log: silentLogger, command: 'bench' })
  await withJobDb(
    context,
    async crawlDb => {
      const waterMark = { timeMs: dbTimeMs, key: keyAfterAll } // so that what is due goes to its index at once
      await crawlDb.commits.run(() => crawlDb.commit([], [], false, { waterMark }))
      await fillDb(crawlDb, { urls, hosts: urls / urlsPerHost, due }, dbTimeMs)
      await crawlDb.commits.run(() => crawlDb.commit([], [], true, { waterMark }))
      await crawlDb.level.compactRange('!', '"')
      await settled(crawlDb.level)
    },
    true,
  )
}

/** Waits until LevelDB moves no tables any more: levels that have become too large go on being compacted, in the time of who opens the db next. */
async function settled(level: Level): Promise<void> {
  const tablesByLevel = (): string => [0, 1, 2, 3, 4, 5, 6].map(number => level.getProperty(`leveldb.num-files-at-level${number}`)).join(' ')
  for (let before = '', now = tablesByLevel(); now !== before; now = tablesByLevel()) {
    before = now
    await sleep(1000)
  }
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
