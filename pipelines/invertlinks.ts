import { join } from 'node:path'
import type { LinkDb } from '../lib/linkdb/link-db.js'
import type { StoredLink } from '../lib/linkdb/links-codec.js'
import { withLinkDb } from '../lib/linkdb/open.js'
import { parseJsonObject } from '../lib/record/line-format.js'
import { parseFromJson } from '../lib/record/parse-json.js'
import type { Parse } from '../lib/record/records.js'
import { storedUrl, type Url } from '../lib/record/url.js'
import { keyOfUrl, urlOfKey } from '../lib/record/url-key.js'
import { parts } from '../lib/segment/part-names.js'
import { listSegments, type Segment } from '../lib/segment/segment.js'
import { type MergeCounts, mergeUpdates } from '../lib/store/sorted-merge.js'
import type { Update } from '../lib/store/sorted-updates.js'
import { hostOf } from '../lib/url/hosts.js'
import { configHash } from './config-hash.js'
import type { JobContext } from './job.js'
import { lineUpdates } from './segment-lines.js'

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

export async function invertInto(linkDb: LinkDb, { context, segments, keepTarget }: InvertJob): Promise<InvertReport> {
  const { config, clock, signal, folder, counters } = context
  const fresh: Segment[] = []
  const skipped: string[] = []
  for (const segment of segments) {
    if ((await linkDb.ledger.appliedAtMs(segment.name)) === undefined) fresh.push(segment)
    else skipped.push(segment.name)
  }
  const names = fresh.map(segment => segment.name)
  if (fresh.length === 0) return { updates: 0, keys: 0, added: 0, changed: 0, removed: 0, applied: [], skipped }
  const job = await linkDb.ledger.begin({
    kind: 'invertlinks',
    timeMs: clock.nowMs(),
    configHash: configHash(config.link),
    inputs: names.map(name => ({ name, digest: '' })),
  })
  const linksOf = linkReader(config, keepTarget)
  const counts = await mergeUpdates<readonly StoredLink[]>({
    target: linkDb,
    job,
    updates: parseUpdates(fresh),
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
  return { ...counts, applied: names, skipped }
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

/** The links of a page that the LinkDb keeps: one for each target, the first anchor that says something, internal and external by option. */
export function linkReader(config: JobContext['config'], keepTarget: InvertJob['keepTarget']): (parse: Parse) => readonly StoredLink[] {
  const { linkDbIgnoresInternal, linkDbIgnoresExternal, maxAnchorChars } = config.link
  return ({ url, outlinks }) => {
    const host = hostOf(url)
    const anchors = new Map<string, string>()
    for (const outlink of outlinks) {
      const isInternal = hostOf(outlink.url) === host
      if (isInternal ? linkDbIgnoresInternal : linkDbIgnoresExternal) continue
      const target = keepTarget === undefined ? outlink.url : keepTarget(outlink.url)
      if (target === undefined) continue
      const key = keyOfUrl(target)
      if ((anchors.get(key) ?? '') === '') anchors.set(key, outlink.anchor.slice(0, maxAnchorChars))
    }
    return [...anchors].map(([to, anchor]) => ({ to, anchor })).sort((a, b) => (a.to < b.to ? -1 : 1))
  }
}

function sameLinks(a: readonly StoredLink[], b: readonly StoredLink[]): boolean {
  return a.length === b.length && a.every((link, index) => link.to === b[index]?.to && link.anchor === b[index]?.anchor)
}
