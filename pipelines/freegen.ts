import { join } from 'node:path'
import { injectedDatum } from '../lib/crawldb/rules/inject-rule.js'
import { CrawlError, messageOf } from '../lib/errors/crawl-error.js'
import { datumFromJson, datumToJson, isDbDatum } from '../lib/record/datum-json.js'
import { parseJsonObject } from '../lib/record/line-format.js'
import type { DbDatum, FetchItem } from '../lib/record/records.js'
import { parseSeedLine } from '../lib/record/seed-line.js'
import type { Url } from '../lib/record/url.js'
import { keyOfUrl, urlOfKey } from '../lib/record/url-key.js'
import { FetchListWriter } from '../lib/segment/fetch-list-writer.js'
import { Segment } from '../lib/segment/segment.js'
import { SortedUpdates, type Update } from '../lib/store/sorted-updates.js'
import { addToList } from '../lib/stream/add-to-list.js'
import { bareReturnsAsFeeds } from '../lib/stream/bare-returns.js'
import { splitLines } from '../lib/stream/split-lines.js'
import { queueIdOf } from '../lib/url/hosts.js'
import { shownUrl } from '../lib/url/shown-url.js'
import type { GeneratedSegment } from './generate-job.js'
import type { SeedRules } from './inject.js'
import type { JobContext } from './job.js'
import { ListPartition } from './list-partition.js'
import { readSeedFile } from './seed-files.js'

export interface FreegenJob {
  readonly context: JobContext
  readonly files: readonly string[]
  readonly rules: SeedRules
  /** Segments that the list is split into, with no queue in two. @defaultValue 1 */
  readonly lists?: number | undefined
  /** The form of a host's URL by whose host it is dealt out to them. @defaultValue as it is */
  readonly dealtForm?: ((url: string) => string) | undefined
}

const itemsPerBatch = 2000

/**
 * Makes fetch lists straight from a list of URLs, without a CrawlDb (Nutch's FreeGenerator). Each URL once; updatedb takes in what becomes of
 * them. URLs are sorted on disk, so that their number is not bounded by memory.
 */
export async function freegen(job: FreegenJob): Promise<readonly GeneratedSegment[]> {
  const { context, lists = 1, dealtForm } = job
  const nowMs = context.clock.nowMs()
  const { segments } = context.folder
  const partition = new ListPartition(context.config, { lists, dealtForm })
  const writers: { readonly segment: Segment; readonly writer: FetchListWriter }[] = []
  const made: GeneratedSegment[] = []
  try {
    for await (const items of freeItems(job, nowMs)) {
      for (const [index, part] of await splitItems(items, partition)) {
        for (let next = writers.length; next <= index; next++) writers.push(await openList(segments, nowMs))
        const { segment, writer } = writers[index] as (typeof writers)[number] // opened in the line before
        await writer.write(part.map(item => ({ ...item, segment: segment.name })))
      }
    }
    for (const { segment, writer } of writers) {
      const items = await writer.commit()
      await segment.recordStep('generate', { items, timeMs: nowMs })
      made.push({ segment: segment.name, items })
    }
  } catch (error) {
    await Promise.all(writers.slice(made.length).map(({ writer }) => writer.discard()))
    throw error
  }
  return made
}

async function openList(segmentsFolder: string, nowMs: number): Promise<{ segment: Segment; writer: FetchListWriter }> {
  const segment = await Segment.create(segmentsFolder, nowMs)
  return { segment, writer: await FetchListWriter.open(segment) }
}

/** Items by the number of their list. */
async function splitItems(items: readonly FetchItem[], partition: ListPartition): Promise<ReadonlyMap<number, FetchItem[]>> {
  const lists = await partition.listsOf(items.map(({ url }) => keyOfUrl(url)))
  const split = new Map<number, FetchItem[]>()
  for (const [index, item] of items.entries()) {
    const list = lists[index] ?? 0
    addToList(split, list, item)
  }
  return split
}

/** The items of the list, each URL once, in the order of keys; a line that cannot be used is counted and logged with its number. */
export async function* freeItems(job: FreegenJob, nowMs: number): AsyncGenerator<readonly FetchItem[]> {
  const { context } = job
  const { config, folder, schedule } = context
  const mode = config.fetch.queueMode === 'byDomain' ? 'byDomain' : 'byHost'
  const sorted = new SortedUpdates({ spillFolder: join(folder.spool, `freegen-${process.pid}`), memoryBytes: config.db.mergeMemoryBytes })
  try {
    for (const file of job.files) {
      for await (const line of splitLines()(bareReturnsAsFeeds(readSeedFile(file)))) await sorted.add(lineUpdates(job, file, line, nowMs))
    }
    for await (const groups of sorted.batches(itemsPerBatch)) {
      yield groups.map(({ key, payloads }): FetchItem => {
        const url = urlOfKey(key)
        const datum = listedDatum(url, payloads[payloads.length - 1] ?? '{}')
        return { url, datum: schedule.asDue(datum, nowMs), queueId: queueIdOf(url, mode), segment: '' }
      })
    }
  } finally {
    await sorted.dispose()
  }
}

function listedDatum(url: Url, payload: string): DbDatum {
  const datum = datumFromJson(url, parseJsonObject(payload))
  return isDbDatum(datum) ? datum : { ...datum, status: 'db_unfetched' }
}

function lineUpdates(
  job: FreegenJob,
  file: string,
  line: { readonly number: number; readonly text: string; readonly fault?: unknown },
  nowMs: number,
): Update[] {
  const { counters, log, config, schedule } = job.context
  try {
    if (line.fault !== undefined) throw line.fault
    const seed = parseSeedLine(line.text)
    if (seed.kind === 'blank') return []
    counters.add('freegen/read')
    const url = job.rules.normalize(seed.urlText)
    if (url === undefined) throw new CrawlError('URL_INVALID', `no URL that can be crawled: ${shownUrl(seed.urlText)}`)
    if (!job.rules.accepts(url)) {
      counters.add('freegen/rejected')
      return []
    }
    if (seed.kind === 'seed') for (const reason of seed.problems) log.warn({ file, line: line.number, reason }, 'seed line')
    const datum = seed.kind === 'record' ? datumFromJson(url, seed.json) : injectedDatum(url, seed.seed, { schedule, db: config.db, nowMs })
    return [{ key: keyOfUrl(url), payload: JSON.stringify(datumToJson(datum)) }]
  } catch (error) {
    if (!(error instanceof CrawlError)) throw error
    counters.add('freegen/malformed')
    log.warn({ file, line: line.number, reason: messageOf(error) }, 'line left out')
    return []
  }
}
