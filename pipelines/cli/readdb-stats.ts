import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import type { CompiledChoice } from '../record-test.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'

export async function printStats(
  _crawlDb: CrawlDb,
  _context: CommandContext,
  _options: CommandOptions,
  _choice: CompiledChoice,
): Promise<ExitStatus> {
  return exitStatus.done
}
