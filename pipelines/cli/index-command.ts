import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import { CrawlError, isCrawlError } from '../../lib/errors/crawl-error.js'
import { BulkWriter } from '../../lib/index/bulk-writer.js'
import { csvHeader, csvRow, defaultColumns } from '../../lib/index/csv-writer.js'
import { type FieldMapping, mapFields, parseFieldMapping } from '../../lib/index/field-mapping.js'
import type { LinkDb } from '../../lib/linkdb/link-db.js'
import { withLinkDb } from '../../lib/linkdb/open.js'
import { listSegments, Segment } from '../../lib/segment/segment.js'
import { type IndexChange, type IndexJob, indexChanges } from '../index-documents.js'
import { IndexState } from '../index-state.js'
import { type JobContext, withJobDb } from '../job.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf, segmentPath } from './job-context.js'
import { flag, requiredArgument, textOption } from './option-values.js'
import { printLine } from './print-line.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .argument('[segment...]', 'parsed segments; without one, all (to a search engine: all that it does not have)')
    .addOption(new Option('--format <form>', 'of what is printed').choices(['ndjson', 'csv']).default('ndjson'))
    .option('--columns <names>', 'fields of csv', defaultColumns.join(','))
    .option('--to <url>', 'send to the index of an OpenSearch or Elasticsearch, such as http://localhost:9200/pages')
    .option('--restart', 'with --to: send all segments again')
    .option('--delete', 'give deletions for gone, redirected and duplicate pages (Nutch: -deleteGone)')
    .option('--mapping <file>', 'JSON file of fields to copy, rename and remove')
    .addHelpText('after', '\nExample:\n  millrace index crawl --delete > documents.ndjson')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const folder = requiredArgument(args, 0, 'dir')
  const job = await jobContextOf(context, folder, 'index', { 'indexer.delete': flag(options, 'delete') || undefined })
  const mappingFile = textOption(options, 'mapping')
  const mapping = mappingFile === undefined ? undefined : parseFieldMapping(readMapping(mappingFile), mappingFile)
  const names = args.slice(1)
  const segments = names.length > 0 ? await Promise.all(names.map(name => Segment.open(segmentPath(job, name)))) : await parsedSegments(job)
  const target = textOption(options, 'to')
  return withJobDb(job, crawlDb =>
    withLinksIfThere(job, async linkDb => {
      const all: IndexJob = { context: job, crawlDb, linkDb, segments: [...segments].sort((a, b) => (a.name < b.name ? 1 : -1)) }
      if (target === undefined) await printAll(context, options, all, mapping)
      else await sendAll(context, options, all, mapping, target)
      context.log.info(job.counters.toJSON(), 'indexed')
      return segments.length === 0 ? exitStatus.nothing : exitStatus.done
    }),
  )
}

function readMapping(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new CrawlError('CONFIG_INVALID', `${file} cannot be read`, { cause })
  }
}

async function parsedSegments({ folder }: JobContext): Promise<Segment[]> {
  const parsed: Segment[] = []
  for (const segment of await listSegments(folder.segments)) if (['parsed', 'sealed'].includes(await segment.state())) parsed.push(segment)
  return parsed
}

/** Documents have no anchors where there is no LinkDb yet. */
async function withLinksIfThere<T>({ folder, config, log }: JobContext, use: (linkDb: LinkDb | undefined) => Promise<T>): Promise<T> {
  let isOpen = false
  try {
    return await withLinkDb({ folder: folder.root, config: config.db }, linkDb => {
      isOpen = true
      return use(linkDb)
    })
  } catch (error) {
    if (isOpen || !isCrawlError(error, 'DB_MISSING')) throw error
    log.info({}, 'no LinkDb: documents have no anchors; invertlinks makes one')
    return use(undefined)
  }
}

async function printAll(context: CommandContext, options: CommandOptions, job: IndexJob, mapping: FieldMapping | undefined): Promise<void> {
  const columns = (textOption(options, 'columns') ?? '').split(',')
  const isCsv = options.format === 'csv'
  if (isCsv) await printLine(context, csvHeader(columns))
  for await (const change of indexChanges(job)) {
    const mapped = mapChange(change, mapping)
    if (!isCsv)
      await printLine(context, `${JSON.stringify(mapped.action === 'add' ? mapped.document.fields : { delete: mapped.id, reason: mapped.reason })}\n`)
    else if (mapped.action === 'add') await printLine(context, csvRow(mapped.document, columns))
  }
}

/** Sends what the engine does not have; a segment counts as sent when the engine has answered for all of it. */
async function sendAll(
  context: CommandContext,
  options: CommandOptions,
  job: IndexJob,
  mapping: FieldMapping | undefined,
  target: string,
): Promise<void> {
  const { config, log, counters, folder } = job.context
  const state = await IndexState.open(folder.root, target, flag(options, 'restart'))
  const writer = new BulkWriter({
    url: target,
    config: config.index,
    log,
    counters,
    signal: context.signal,
    wait: async (ms, signal) => void (await sleep(ms, undefined, signal === undefined ? {} : { signal })),
  })
  const changes = indexChanges({
    ...job,
    segments: job.segments.filter(segment => !state.has(segment.name)),
    newer: job.segments.filter(segment => state.has(segment.name)),
    onSegmentDone: async segment => {
      await writer.flush()
      await state.add(segment.name)
    },
  })
  for await (const change of changes) await writer.add(mapChange(change, mapping))
  await writer.flush()
}

function mapChange(change: IndexChange, mapping: FieldMapping | undefined): IndexChange {
  return change.action === 'add' && mapping !== undefined ? { ...change, document: mapFields(change.document, mapping) } : change
}
