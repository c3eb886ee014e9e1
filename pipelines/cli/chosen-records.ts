import type { Command } from 'commander'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { datumToJson } from '../../lib/record/datum-json.js'
import { formatLine } from '../../lib/record/line-format.js'
import { normalizeUrl } from '../../lib/url/normalize-url.js'
import { type ChangeJob, type ChosenRecords, changeRecords, previewChanges } from '../change-records.js'
import { withJobDb } from '../job.js'
import { compilePattern } from '../patterns.js'
import { compileChoice } from '../record-test.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { printJson } from './job-context.js'
import { flag, textOption } from './option-values.js'
import { printLine } from './print-line.js'
import { recordChoiceOf, withRecordChoice } from './record-choice.js'

/** Options of commands that change records which the operator chooses. */
export function withChosenRecords(command: Command): Command {
  return withRecordChoice(
    command
      .option('--url <url>', 'the record of one URL')
      .option('--all', 'every record of the db')
      .option('--dry-run', 'print what would change, and change nothing'),
  )
}

/** @param needsChoice whether it is an error to choose nothing
 *  @throws {CrawlError} USAGE */
export function chosenRecordsOf(options: CommandOptions, needsChoice = true): ChosenRecords {
  const url = textOption(options, 'url')
  const choice = compileChoice(recordChoiceOf(options), compilePattern)
  if (url !== undefined) {
    if (!choice.isAll || flag(options, 'all')) throw new CrawlError('USAGE', '--url stands alone')
    return { url: normalizeUrl(url) }
  }
  if (needsChoice && choice.isAll && !flag(options, 'all'))
    throw new CrawlError('USAGE', 'which records? --url, --host, --domain, --status, --regex, --expr, … or --all')
  return { choice }
}

/** Options that do not change what a job does. */
const unsaid: readonly string[] = ['dryRun', 'now', 'quiet', 'logFormat', 'logLevel']

/** Changes the chosen records, or with `--dry-run` prints a line for each that would change: `URL TAB {before, after}`, after null if deleted. */
export function runChange(context: CommandContext, options: CommandOptions, job: Omit<ChangeJob, 'said'>): Promise<ExitStatus> {
  const isDryRun = flag(options, 'dryRun')
  const said = Object.entries(options).filter(([name]) => !unsaid.includes(name))
  return withJobDb(job.context, async crawlDb => {
    if (isDryRun) return preview(crawlDb, context, job)
    const report = await changeRecords(crawlDb, { ...job, said: [job.kind, said] })
    printJson(context, report)
    return report.chosen === 0 ? exitStatus.nothing : exitStatus.done
  })
}

async function preview(crawlDb: CrawlDb, context: CommandContext, job: Omit<ChangeJob, 'said'>): Promise<ExitStatus> {
  let chosen = 0
  let changed = 0
  for await (const { before, after } of previewChanges(crawlDb, job)) {
    chosen++
    if (after === before) continue
    changed++
    await printLine(context, formatLine(before.url, { before: datumToJson(before), after: after === undefined ? null : datumToJson(after) }))
  }
  context.log.info({ chosen, changed }, 'would change')
  return chosen === 0 ? exitStatus.nothing : exitStatus.done
}
