import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../lib/config/options.js'
import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { type OpenCrawlDbOptions, withCrawlDb } from '../lib/crawldb/open.js'
import { isCrawlError } from '../lib/errors/crawl-error.js'
import type { Clock } from '../lib/log/clock.js'
import { Counters } from '../lib/log/counters.js'
import type { Logger } from '../lib/log/logger.js'
import type { FetchSchedule } from '../lib/schedule/fetch-schedule.js'
import type { Scoring } from '../lib/score/create-scoring.js'
import { HolderFile } from '../lib/store/holder.js'
import { type CrawlFolder, crawlFolder } from './crawl-folder.js'
import { type CrawlUrlRules, type CrawlUrlRulesOptions, createUrlRules } from './crawl-url-rules.js'
import { noPlugins, type Plugins } from './plugins.js'
import { createSchedule, createScoring } from './rules.js'

/** What every job that works on a crawl folder is given. */
export interface JobContext {
  readonly folder: CrawlFolder
  readonly config: Config
  readonly schedule: FetchSchedule
  readonly scoring: Scoring
  readonly plugins: Plugins
  /** The time that is recorded. */
  readonly clock: Clock
  /** The time that delays are counted by; the same clock unless the recorded time is fixed. */
  readonly pacingClock: Clock
  readonly log: Logger
  readonly counters: Counters
  readonly signal?: AbortSignal | undefined
  /** For `holder.json` and messages: what the user called. */
  readonly command: string
  /** Set where the job runs inside the process that holds the db, for another one that asked it to. */
  readonly heldDb?: CrawlDb | undefined
  /** Lets other processes ask this one while it holds the db. */
  readonly serve?: ServeDb | undefined
}

/** Begins to answer other processes; what it gives ends that, after the answers under way. */
export type ServeDb = (crawlDb: CrawlDb) => Promise<() => Promise<void>>

export interface JobContextOptions {
  /** As `loadPlugins` gives them. @defaultValue none */
  readonly plugins?: Plugins
  /** @defaultValue new ones */
  readonly counters?: Counters
  readonly folder: string
  readonly config: Config
  readonly clock: Clock
  readonly pacingClock?: Clock
  readonly log: Logger
  readonly signal?: AbortSignal | undefined
  readonly command: string
  readonly heldDb?: CrawlDb | undefined
  readonly serve?: ServeDb | undefined
}

/** Reads the rule files that schedule and scoring need. @throws {CrawlError} CONFIG_INVALID */
export function createJobContext(options: JobContextOptions): JobContext {
  const { folder, config, plugins = noPlugins, counters = new Counters() } = options
  return {
    ...options,
    pacingClock: options.pacingClock ?? options.clock,
    folder: crawlFolder(folder),
    schedule: createSchedule(config),
    scoring: createScoring(config, plugins),
    plugins,
    counters,
  }
}

/** The URL rules of a job: those of its configuration and of its plugins. @throws {CrawlError} URL_RULE_INVALID, CONFIG_INVALID */
export function urlRulesOf({ config, plugins, log }: JobContext, options: Omit<CrawlUrlRulesOptions, 'plugins'> = {}): CrawlUrlRules {
  return createUrlRules(config, { log, plugins, ...options })
}

/**
 * Opens the CrawlDb of a job's folder for the time that `use` takes. The holder's file bears the machine's time, not that of `--now`. With `isSharing`,
 * `use` takes turns with the jobs of other processes itself (`crawlDb.jobs`); otherwise those wait until it has ended.
 */
export function withJobDb<T>(context: JobContext, use: (crawlDb: CrawlDb) => Promise<T>, isCreating = false, isSharing = false): Promise<T> {
  const { folder, config, scoring, command, heldDb, signal } = context
  if (heldDb !== undefined) return use(heldDb)
  return whenFree(
    {
      folder: folder.root,
      config: config.db,
      order: { sortValueOf: datum => scoring.generatorSortValue(datum), fingerprint: scoring.fingerprint },
      isCreating,
      command,
    },
    crawlDb => whileServing(context.serve, crawlDb, isSharing ? use : () => crawlDb.jobs.run(() => use(crawlDb))),
    signal,
  )
}

/** How long a db that another process holds is waited for, unless that is a crawl: others are done with it soon. */
export const longestLockWaitMs = 5000
export const lookAgainMs = 50

async function whenFree<T>(options: OpenCrawlDbOptions, use: (crawlDb: CrawlDb) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const untilMs = performance.now() + longestLockWaitMs
  let isOpen = false
  const useOpen = (crawlDb: CrawlDb): Promise<T> => {
    isOpen = true
    return use(crawlDb)
  }
  for (;;) {
    try {
      return await withCrawlDb(options, useOpen)
    } catch (error) {
      if (isOpen || !isCrawlError(error, 'DB_LOCKED') || performance.now() > untilMs || (await isCrawledIn(options.folder))) throw error
    }
    await sleep(lookAgainMs, undefined, signal === undefined ? {} : { signal })
  }
}

async function isCrawledIn(folder: string): Promise<boolean> {
  return (await new HolderFile(folder).read())?.command === 'crawl'
}

async function whileServing<T>(serve: ServeDb | undefined, crawlDb: CrawlDb, use: (crawlDb: CrawlDb) => Promise<T>): Promise<T> {
  const end = await serve?.(crawlDb)
  try {
    return await use(crawlDb)
  } finally {
    await end?.()
  }
}
