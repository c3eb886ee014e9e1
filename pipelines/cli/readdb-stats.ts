import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import { formatStats, statsToJson } from '../../lib/crawldb/stats/format-stats.js'
import { parseQuantiles } from '../../lib/crawldb/stats/stats-accumulator.js'
import { crawlDbStats } from '../stats.js'
import { type ExitStatus, exitStatus } from './command.js'
import { printJson } from './job-context.js'
import { flag } from './option-values.js'
import type { Asked } from './readdb-question.js'
import { timeZoneOf } from './time-zone.js'

/** `readdb --stats`: Nutch's rows, or one JSON object. */
export async function printStats(crawlDb: CrawlDb, { context, options, choice, job }: Asked): Promise<ExitStatus> {
  const quantiles = parseQuantiles(job.config.db.scoreQuantiles)
  const stats = await crawlDbStats(crawlDb, { choice, quantiles, countsHosts: flag(options, 'sort'), signal: context.signal })
  if (flag(options, 'json')) printJson(context, statsToJson(stats))
  else context.stdout.write(formatStats(stats, timeZoneOf(options)))
  return exitStatus.done
}
