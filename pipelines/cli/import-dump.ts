import { importDump } from '../import-dump.js'
import { withJobDb } from '../job.js'
import type { DumpFormat } from '../readdb.js'
import { listSeedFiles, removeSpooled } from '../seed-files.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf, printJson } from './job-context.js'
import { flag, listOption, textOption } from './option-values.js'
import { timeZoneOf } from './time-zone.js'

/** `import --from-dump`: takes the records of dumps into the CrawlDb, which is made if there is none. */
export async function runImportDump(context: CommandContext, folder: string, options: CommandOptions): Promise<ExitStatus> {
  const job = await jobContextOf(context, folder, 'import')
  const files = await listSeedFiles(listOption(options, 'fromDump'), job.folder.spool)
  const timeZone = options.timeZone === undefined ? undefined : timeZoneOf(options)
  const format = textOption(options, 'format') as DumpFormat | undefined // commander lets no other choice through
  const isStrict = flag(options, 'strict')
  const report = await withJobDb(job, crawlDb => importDump(crawlDb, { context: job, files, format, timeZone, isStrict }), true)
  await removeSpooled(files, job.folder.spool)
  printJson(context, report)
  return report.read === 0 ? exitStatus.nothing : exitStatus.done
}
