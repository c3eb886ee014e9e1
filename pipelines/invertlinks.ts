import { join } from 'node:path'
import { isCrawlError } from '../lib/errors/crawl-error.js'
import type { LinkDb } from '../lib/linkdb/link-db.js'
import { linkSet, type StoredLink } from '../lib/linkdb/links-codec.js'
import { withLinkDb } from '../lib/linkdb/open.js'
import { parseJsonObject } from '../lib/record/line-format.js'
import { parseFromJson } from '../lib/record/parse-json.js'
import type { Parse } from '../lib/record/records.js'
import { storedUrl, type Url } from '../lib/record/url.js'
import { keyOfUrl, urlOfKey } from '../lib/record/url-key.js'
import { parts } from '../lib/segment/part-names.js'
import { listSegments, Segment } from '../lib/segment/segment.js'
import { type MergeCounts, mergeUpdates } from '../lib/store/sorted-merge.js'
import type { Update } from '../lib/store/sorted-updates.js'
import { hostOf } from '../lib/url/hosts.js'
import { configHash } from './config-hash.js'
import type { JobContext } from './job.js'
import { lineUpdates } from './segment-lines.js'

const kind = 'invertlinks'

export interface InvertJob {
  readonly context: JobContext
  /** Parsed segments; those applied before are passed over. */
  readonly segments: readonly Segment[]
  /** Normalizes and filters a link's target; undefined drops it. */
  readonly keepTarget?: ((url: Url) => Url | undefined) | undefined
}

export interface InvertReport extends MergeCounts {
  readonly applied: readonly string[]
  readonly skipped: readonly string[]
}

/** Brings the links of parsed segments into the LinkDb, each segment exactly once (Nutch's LinkDb job). */
export async function invertlinks(job: InvertJob): Promise<InvertReport> {
  const { folder, config } = job.context
  return withLinkDb({ folder: folder.root, config: config.db, isCreating: true }, linkDb => invertInto(linkDb, job))
}

/** One job for each segment, so that one that was cut off can be gone on with whatever has come since: it is finished first. */
export async function invertInto(linkDb: LinkDb, job: InvertJob): Promise<InvertReport> {
  const cutOff = await cutOffSegments(linkDb, job.context)
  const applied: string[] = []
  const skipped: string[] = []
  let counts: MergeCounts = { updates: 0, keys: 0, added: 0, changed: 0, removed: 0 }
  for (const segments of [cutOff, ...job.segments.map(segment => [segment])]) {
    const fresh: Segment[] = []
    for (const segment of segments) if ((await linkDb.ledger.appliedAtMs(segment.name)) === undefined) fresh.push(segment)
    if (fresh.length > 0) counts = sum(counts, await invertTogether(linkDb, job, fresh))
    else skipped.push(...segments.map(({ name }) => name).filter(name => !applied.includes(name)))
    applied.push(...fresh.map(({ name }) => name))
  }
  return { ...counts, applied, skipped }
}

function sum(a: MergeCounts, b: MergeCounts): MergeCounts {
  const { updates, keys, added, changed, removed } = b
  return { updates: a.updates + updates, keys: a.keys + keys, added: a.added + added, changed: a.changed + changed, removed: a.removed + removed }
}

/** The segments of a job that a killed process left in the LinkDb. */
async function cutOffSegments(linkDb: LinkDb, { folder }: JobContext): Promise<Segment[]> {
  const pending = await linkDb.ledger.pending()
  if (pending?.kind !== kind) return []
  return Promise.all(pending.inputs.map(({ name }) => Segment.open(join(folder.segments, name))))
}

async function invertTogether(linkDb: LinkDb, { context, keepTarget }: InvertJob, segments: readonly Segment[]): Promise<MergeCounts> {
  const { config, clock, signal, folder, counters } = context
  const names = segments.map(({ name }) => name)
  const job = await linkDb.ledger.begin({
    kind,
    timeMs: clock.nowMs(),
    configHash: configHash(config.link),
    inputs: names.map(name => ({ name, digest: '' })),
  })
  const linksOf = linkReader(config, keepTarget)
  const counts = await mergeUpdates<readonly StoredLink[]>({
    target: linkDb,
    job,
    updates: parseUpdates(segments),
    reduce: (key, old, payloads) => {
      const next = linksOf(parseFromJson(urlOfKey(key), parseJsonObject(payloads[payloads.length - 1] as string))) // a group is never empty
      return sameLinks(old ?? [], next) ? old : next
    },
    spillFolder: join(folder.spool, `invertlinks-${job.id}`),
    memoryBytes: config.db.mergeMemoryBytes,
    keysPerBatch: Math.max(1, Math.floor(config.db.batchRecords / 20)),
    applied: names,
    signal,
  })
  counters.add('invertlinks/pages', counts.keys)
  return counts
}

/** Brings in the segments that `choose` gives, unless somebody else has the LinkDb open: then they are left for later, which is logged. */
export async function invertIfFree(context: JobContext, choose: (linkDb: LinkDb) => Promise<readonly Segment[]>): Promise<void> {
  const { folder, config, log } = context
  try {
    await withLinkDb({ folder: folder.root, config: config.db, isCreating: true }, async linkDb => {
      const segments = await choose(linkDb)
      if (segments.length > 0) await invertInto(linkDb, { context, segments })
    })
  } catch (error) {
    if (!isCrawlError(error, 'DB_LOCKED')) throw error
    log.warn({ folder: folder.root }, 'the LinkDb is in use: it takes in what is new at the end of the crawl, or when millrace invertlinks is run')
  }
}

/** Parsed segments that the LinkDb has not taken in. */
export async function segmentsToInvert(linkDb: LinkDb, context: JobContext): Promise<Segment[]> {
  const fresh: Segment[] = []
  for (const segment of await listSegments(context.folder.segments)) {
    const state = await segment.state()
    if (state !== 'parsed' && state !== 'sealed') continue
    if ((await linkDb.ledger.appliedAtMs(segment.name)) === undefined) fresh.push(segment)
  }
  return fresh
}

async function* parseUpdates(segments: readonly Segment[]): AsyncGenerator<readonly Update[]> {
  for (const segment of segments) yield* lineUpdates(segment, parts.parseData, (url, json) => ({ key: keyOfUrl(storedUrl(url)), payload: json }))
}

/** The links of a page that the LinkDb keeps: one for each target and anchor (Nutch's Inlinks), internal and external by option. */
export function linkReader(config: JobContext['config'], keepTarget: InvertJob['keepTarget']): (parse: Parse) => readonly StoredLink[] {
  const { linkDbIgnoresInternal, linkDbIgnoresExternal, maxAnchorChars } = config.link
  return ({ url, outlinks }) => {
    const host = hostOf(url)
    const links: StoredLink[] = []
    for (const outlink of outlinks) {
      const isInternal = hostOf(outlink.url) === host
      if (isInternal ? linkDbIgnoresInternal : linkDbIgnoresExternal) continue
      const target = keepTarget === undefined ? outlink.url : keepTarget(outlink.url)
      if (target === undefined) continue
      links.push({ to: keyOfUrl(target), anchor: outlink.anchor.replaceAll('\u0000', '').slice(0, maxAnchorChars) })
    }
    return linkSet(links)
  }
}

function sameLinks(a: readonly StoredLink[], b: readonly StoredLink[]): boolean {
  return a.length === b.length && a.every((link, index) => link.to === b[index]?.to && link.anchor === b[index]?.anchor)
}
