import { type Command, Option } from 'commander'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { type PartName, parts } from '../../lib/segment/part-names.js'
import { listSegments, Segment } from '../../lib/segment/segment.js'
import { normalizeUrl } from '../../lib/url/normalize-url.js'
import { ContentReader } from '../../lib/warc/content-reader.js'
import { recordsToLine, recordsToNutchDump, recordsToNutchGet, type SegmentFormOptions } from '../segment-forms.js'
import { nutchListHead, rowToNutchText, segmentRow } from '../segment-list.js'
import { findSegmentRecords, type PartChoice, readSegmentRecords } from '../segment-records.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf, printJson, segmentPath } from './job-context.js'
import { flag, requiredArgument, textOption } from './option-values.js'
import { printLine } from './print-line.js'
import { timeZoneOf } from './time-zone.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .argument('[segment...]', 'segments; without one, all (with --get: the newest that has the URL)')
    .option('--list', 'print what each segment holds')
    .option('--dump', 'print all records')
    .option('--get <url>', 'print what is held of one URL')
    .addOption(new Option('--format <form>', 'of --dump and --get').choices(['text', 'json']).default('text'))
    .option('--json', 'print JSON lines instead of text')
    .option('--no-content', 'leave content out')
    .option('--no-fetch', 'leave crawl_fetch out')
    .option('--no-generate', 'leave crawl_generate out')
    .option('--no-parse', 'leave crawl_parse out')
    .option('--no-parsedata', 'leave parse_data out')
    .option('--no-parsetext', 'leave parse_text out')
    .option('--recode', 'show content in its own charset, not as UTF-8')
    .option('--time-zone <name>', 'zone of times in text', 'UTC')
    .addHelpText('after', '\nExamples:\n  millrace readseg crawl --list\n  millrace readseg crawl --get http://example.org/ --no-content')
}

interface Question {
  readonly context: CommandContext
  readonly segments: readonly Segment[]
  readonly choice: PartChoice
  readonly form: SegmentFormOptions
  readonly isJson: boolean
  readonly sortFolder: string
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const url = textOption(options, 'get')
  const asked = [flag(options, 'list'), flag(options, 'dump'), url !== undefined].filter(Boolean).length
  if (asked !== 1) throw new CrawlError('USAGE', 'one of --list, --dump, --get is wanted')
  const job = await jobContextOf(context, requiredArgument(args, 0, 'dir'), 'readseg')
  const names = args.slice(1)
  const segments =
    names.length === 0 ? await listSegments(job.folder.segments) : await Promise.all(names.map(name => Segment.open(segmentPath(job, name))))
  const question: Question = {
    context,
    segments,
    choice: { content: options.content !== false, parts: chosenParts(options) },
    form: { timeZone: timeZoneOf(options), isRecoded: flag(options, 'recode'), defaultCharset: job.config.parse.defaultCharset },
    isJson: flag(options, 'json') || options.format === 'json',
    sortFolder: job.folder.spool,
  }
  if (url !== undefined) return get(question, url)
  return flag(options, 'list') ? list(question) : dump(question)
}

const partOptions: readonly (readonly [option: string, part: PartName])[] = [
  ['generate', parts.fetchList],
  ['fetch', parts.outcomes],
  ['parse', parts.crawlParse],
  ['parsedata', parts.parseData],
  ['parsetext', parts.parseText],
]

function chosenParts(options: CommandOptions): readonly PartName[] {
  return partOptions.filter(([option]) => options[option] !== false).map(([, part]) => part)
}

async function list({ context, segments, form, isJson }: Question): Promise<ExitStatus> {
  if (!isJson) context.stdout.write(nutchListHead)
  for (const segment of segments) {
    const row = await segmentRow(segment)
    if (isJson) printJson(context, row)
    else context.stdout.write(rowToNutchText(row, form.timeZone))
  }
  return segments.length === 0 ? exitStatus.nothing : exitStatus.done
}

async function dump({ context, segments, choice, form, isJson, sortFolder }: Question): Promise<ExitStatus> {
  let count = 0
  for (const segment of segments) {
    const content = new ContentReader(segment.folder)
    try {
      for await (const records of readSegmentRecords(segment, choice, { content, sortFolder })) {
        context.signal.throwIfAborted()
        const lead = count === 0 ? '' : '\n'
        await printLine(context, isJson ? recordsToLine(records, segment.name, form) : `${lead}${recordsToNutchDump(records, count, form)}`)
        count++
      }
    } finally {
      await content.close()
    }
  }
  return count === 0 ? exitStatus.nothing : exitStatus.done
}

async function get({ context, segments, choice, form, isJson }: Question, raw: string): Promise<ExitStatus> {
  const url = normalizeUrl(raw)
  for (const segment of segments.toReversed()) {
    const content = new ContentReader(segment.folder)
    try {
      const records = await findSegmentRecords(segment, url, choice, content)
      if (records === undefined) continue
      await printLine(context, isJson ? recordsToLine(records, segment.name, form) : recordsToNutchGet(records, form))
      return exitStatus.done
    } finally {
      await content.close()
    }
  }
  context.log.info({ url }, 'no segment has this URL')
  return exitStatus.nothing
}
