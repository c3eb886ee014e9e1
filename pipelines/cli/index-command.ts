import { readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { bulkTarget } from '../../lib/index/bulk-request.js'
import { csvHeader, csvRow, defaultColumns } from '../../lib/index/csv-writer.js'
import { type FieldMapping, mapFields, parseFieldMapping } from '../../lib/index/field-mapping.js'
import { listSegments, type Segment } from '../../lib/segment/segment.js'
import { cleanChanges } from '../index-clean.js'
import { type IndexChange, type IndexJob, indexChanges } from '../index-documents.js'
import { IndexState } from '../index-state.js'
import { type JobContext, urlRulesOf, withJobDb } from '../job.js'
import { withLinkDbIfThere } from '../link-db-if-there.js'
import { checkRefused, sendDocuments } from '../send-documents.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf, openEndedSegments, printJson } from './job-context.js'
import { flag, requiredArgument, textOption } from './option-values.js'
import { printLine } from './print-line.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .argument('[segment...]', 'parsed segments; without one, all (to a search engine: what it does not have)')
    .addOption(new Option('--format <form>', 'of what is printed; csv has no deletions').choices(['ndjson', 'csv']).default('ndjson'))
    .option('--columns <names>', 'fields of csv', defaultColumns.join(','))
    .option('--to <url>', 'send to the index of an OpenSearch or Elasticsearch, such as http://localhost:9200/pages')
    .option('--restart', 'with --to: send all segments again')
    .option('--delete', 'give deletions for gone, redirected and duplicate pages (Nutch: -deleteGone)')
    .option('--clean', 'give nothing but deletions: of every record that is gone, redirected or a duplicate (Nutch: clean)')
    .option('--filter', 'leave out URLs that the filters reject')
    .option('--normalize', 'normalize the URLs of documents (scope indexer)')
    .option('--rules <file>', 'URL filter rules (Nutch: urlfilter.regex.file)')
    .option('--binary-content', 'give documents the body of the page in base64')
    .option('--mapping <file>', 'JSON file of fields to copy, rename and remove')
    .addHelpText('after', '\nExample:\n  millrace index crawl --delete > documents.ndjson')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const folder = requiredArgument(args, 0, 'dir')
  const job = await jobContextOf(context, folder, 'index', {
    'indexer.delete': flag(options, 'delete') || undefined,
    'urlfilter.regex.file': textOption(options, 'rules'),
  })
  const mapChange = changeMapper(textOption(options, 'mapping'))
  const names = args.slice(1)
  const keepUrl = keepUrlOf(job, options)
  const segments = names.length > 0 ? await openEndedSegments(job, names, true) : await parsedSegments(job)
  return withJobDb(job, crawlDb =>
    withLinkDbIfThere(job, async linkDb => {
      const newestFirst = [...segments].sort((a, b) => (a.name < b.name ? 1 : -1))
      const all: IndexJob = { context: job, crawlDb, linkDb, segments: newestFirst, keepUrl, withBody: flag(options, 'binaryContent') }
      const changes = flag(options, 'clean') ? cleanChanges(crawlDb) : undefined
      if (textOption(options, 'to') !== undefined) await sendAll(context, options, { ...all, mapChange, changes, names })
      else await printAll(context, options, changes ?? indexChanges(all), mapChange)
      context.log.info(job.counters.toJSON(), 'indexed')
      return segments.length === 0 ? exitStatus.nothing : exitStatus.done
    }),
  )
}

type MapChange = (change: IndexChange) => IndexChange

function changeMapper(file: string | undefined): MapChange {
  const mapping: FieldMapping | undefined = file === undefined ? undefined : parseFieldMapping(readMapping(file), file)
  if (mapping === undefined) return change => change
  return change => (change.action === 'add' ? { ...change, document: mapFields(change.document, mapping) } : change)
}

function readMapping(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new CrawlError('CONFIG_INVALID', `${file} cannot be read`, { cause })
  }
}

function keepUrlOf(job: JobContext, options: CommandOptions): IndexJob['keepUrl'] {
  const [isFiltering, isNormalizing] = [flag(options, 'filter'), flag(options, 'normalize')]
  return isFiltering || isNormalizing ? urlRulesOf(job, { isFiltering, isNormalizing }).keepLink('indexer') : undefined
}

async function parsedSegments({ folder }: JobContext): Promise<Segment[]> {
  const parsed: Segment[] = []
  for (const segment of await listSegments(folder.segments)) if (['parsed', 'sealed'].includes(await segment.state())) parsed.push(segment)
  return parsed
}

async function printAll(context: CommandContext, options: CommandOptions, changes: AsyncIterable<IndexChange>, mapChange: MapChange): Promise<void> {
  const columns = (textOption(options, 'columns') ?? '').split(',')
  const isCsv = options.format === 'csv'
  if (isCsv) await printLine(context, csvHeader(columns))
  for await (const change of changes) {
    const mapped = mapChange(change)
    if (isCsv) {
      if (mapped.action === 'add') await printLine(context, csvRow(mapped.document, columns))
      continue
    }
    const line = mapped.action === 'add' ? mapped.document.fields : { delete: mapped.id, reason: mapped.reason }
    await printLine(context, `${JSON.stringify(line)}\n`)
  }
}

interface SendOptions extends IndexJob {
  readonly mapChange: MapChange
  /** Changes that come from no segment. */
  readonly changes: AsyncIterable<IndexChange> | undefined
  /** Segments that are to be sent, whatever the engine has. */
  readonly names: readonly string[]
}

async function sendAll(context: CommandContext, options: CommandOptions, job: SendOptions): Promise<void> {
  const { folder, config } = job.context
  const target = bulkTarget(textOption(options, 'to') ?? '', config.index.user)
  const state = await IndexState.open(folder.root, target.url, flag(options, 'restart'))
  if (job.names.length > 0) for (const { name } of job.segments) state.forget(name)
  const report = await sendDocuments({ ...job, target, state })
  printJson(context, report)
  checkRefused(report, target)
}
