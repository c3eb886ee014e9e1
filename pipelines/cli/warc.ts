import { hostname } from 'node:os'
import type { Command } from 'commander'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { Counters } from '../../lib/log/counters.js'
import { formatLine } from '../../lib/record/line-format.js'
import { listSegments, Segment } from '../../lib/segment/segment.js'
import { type CheckedRecord, checkWarc } from '../../lib/warc/check-warc.js'
import { compileCaptureChoice } from '../capture-choice.js'
import { exportText } from '../export-text.js'
import { exportWarc } from '../export-warc.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { checkInputFiles } from './input-files.js'
import { jobContextOf, printJson, segmentPath } from './job-context.js'
import { collect, flag, listOption, numberOption, requiredArgument, textOption, wholeNumber } from './option-values.js'
import { printLine } from './print-line.js'

export function declare(command: Command): Command {
  return command
    .argument('<path...>', 'with --check: WARC files; with --out: the crawl’s folder, and segments if not all are meant')
    .option('--check', 'check WARC files: a line for each record; exit status 4 if there are faults')
    .option('--out <folder>', 'export captures as a set of WARC files with a CDXJ index')
    .option('--text', 'with --out: export the texts of parsed pages instead (WET)')
    .option('--revisits', 'with --out: captures whose content an earlier one of their URL has become revisit records')
    .option('--url <pattern>', 'captures in whose URL the pattern is found')
    .option('--type <type>', 'captures of this media type, such as text/html or image/*; may be repeated', collect)
    .option('--status <status>', 'captures with this HTTP status, such as 200 or 3xx; may be repeated', collect)
    .option('--prefix <name>', 'first part of the names of files', 'millrace')
    .option('--host <name>', 'last part of the names of files; this machine’s name by default')
    .option('--max-file-bytes <n>', 'size at which a file is closed', wholeNumber)
    .addHelpText(
      'after',
      '\nExamples:\n  millrace warc --check crawl/segments/*/content-00000.warc.gz\n  millrace warc crawl --out export --type text/html --status 200',
    )
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const isExport = textOption(options, 'out') !== undefined
  if (flag(options, 'check') === isExport) throw new CrawlError('USAGE', 'one of --check, --out is wanted')
  return isExport ? exportSet(context, args, options) : check(context, args)
}

async function check(context: CommandContext, files: readonly string[]): Promise<ExitStatus> {
  await checkInputFiles(files)
  let faults = 0
  let records = 0
  for (const file of files) {
    for await (const record of checkWarc(file, context.signal)) {
      records++
      if (record.error !== null) faults++
      await printLine(context, formatLine(keyOf(record, file), files.length > 1 ? { ...record, file } : record))
    }
  }
  context.log.info({ files: files.length, records, faults }, 'checked')
  return faults === 0 ? exitStatus.done : exitStatus.faults
}

/** The record's URI, or its id, or the file; as a key it holds no tab and no line end. */
function keyOf({ uri, id }: CheckedRecord, file: string): string {
  return (uri || id || file).replace(/[\t\r\n]/g, char => encodeURIComponent(char))
}

async function exportSet(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const [folder, names] = [requiredArgument(args, 0, 'dir'), args.slice(1)]
  const job = await jobContextOf(context, folder, 'warc')
  const segments =
    names.length === 0 ? await listSegments(job.folder.segments) : await Promise.all(names.map(name => Segment.open(segmentPath(job, name))))
  const counters = new Counters()
  const matches = compileCaptureChoice({
    url: textOption(options, 'url'),
    types: listOption(options, 'type'),
    statuses: listOption(options, 'status'),
  })
  const set = {
    folder: requiredArgument([textOption(options, 'out') ?? ''], 0, '--out'),
    prefix: textOption(options, 'prefix') ?? 'millrace',
    host: textOption(options, 'host') ?? hostname(),
    nowMs: context.clock.nowMs(),
    maxFileBytes: numberOption(options, 'maxFileBytes') ?? job.config.segment.warcFileBytes,
    warcinfo: { software: 'millrace', description: `captures of the crawl ${folder}` },
  }
  const files = flag(options, 'text')
    ? await exportText({ segments, set, matches, counters })
    : await exportWarc({
        segments,
        set,
        matches,
        counters,
        gzipLevel: job.config.segment.gzipLevel,
        writesRevisits: flag(options, 'revisits'),
        signal: context.signal,
      })
  for (const file of files) printJson(context, file)
  context.log.info(counters.toJSON(), 'exported')
  return files.length === 0 ? exitStatus.nothing : exitStatus.done
}
