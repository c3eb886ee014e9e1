import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import type { JobContext } from '../job.js'
import type { CompiledChoice } from '../record-test.js'
import type { CommandContext, CommandOptions, ExitStatus } from './command.js'

/** What a question of `readdb` is answered from. */
export interface Asked {
  readonly context: CommandContext
  readonly options: CommandOptions
  readonly choice: CompiledChoice
  readonly job: JobContext
}

/** One of the things that `readdb` can be asked. */
export type Question = (crawlDb: CrawlDb, asked: Asked) => Promise<ExitStatus>
