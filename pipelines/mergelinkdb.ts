import { join } from 'node:path'
import type { LinkDb } from '../lib/linkdb/link-db.js'
import { linkSet, type StoredLink } from '../lib/linkdb/links-codec.js'
import type { Url } from '../lib/record/url.js'
import { keyOfUrl, urlOfKey } from '../lib/record/url-key.js'
import { type MergeCounts, mergeUpdates } from '../lib/store/sorted-merge.js'
import type { Update } from '../lib/store/sorted-updates.js'
import { configHash } from './config-hash.js'
import type { JobContext } from './job.js'

export interface MergeLinkDbJob {
  readonly context: JobContext
  readonly sources: readonly { readonly folder: string; readonly linkDb: LinkDb }[]
  /** The URL under which a page or a link's target is merged; undefined leaves it out. */
  readonly keepUrl?: ((url: Url) => Url | undefined) | undefined
  readonly rulesHash: string
}

/** Merges LinkDbs into one (Nutch's LinkDbMerger): a page has the links of all, by each target and anchor once. */
export async function mergelinkdb(linkDb: LinkDb, { context, sources, keepUrl, rulesHash }: MergeLinkDbJob): Promise<MergeCounts> {
  const { config, clock, signal, folder } = context
  const inputs = sources.map(source => ({ name: source.folder, digest: '' }))
  const job = await linkDb.ledger.begin({ kind: 'mergelinkdb', timeMs: clock.nowMs(), configHash: configHash(rulesHash), inputs })
  return mergeUpdates<readonly StoredLink[]>({
    target: linkDb,
    job,
    updates: linksOf(sources, keepUrl, signal),
    reduce: (_key, old, payloads) => united(old, payloads.map(readLinks)),
    spillFolder: join(folder.spool, `mergelinkdb-${job.id}`),
    memoryBytes: config.db.mergeMemoryBytes,
    keysPerBatch: Math.max(1, Math.floor(config.db.batchRecords / 20)),
    signal,
  })
}

/** What `mergelinkdb` would bring, source by source. */
export async function* previewMergelinkdb({ sources, keepUrl, context }: Pick<MergeLinkDbJob, 'sources' | 'keepUrl' | 'context'>): AsyncGenerator<{
  readonly from: string
  readonly pages: number
  readonly links: number
}> {
  for (const source of sources) {
    let pages = 0
    let links = 0
    for await (const updates of linksOf([source], keepUrl, context.signal)) {
      pages += updates.length
      for (const { payload } of updates) links += readLinks(payload).length
    }
    yield { from: source.folder, pages, links }
  }
}

async function* linksOf(
  sources: MergeLinkDbJob['sources'],
  keepUrl: MergeLinkDbJob['keepUrl'],
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly Update[]> {
  const keyKept = (key: string): string | undefined => {
    if (keepUrl === undefined) return key
    const url = keepUrl(urlOfKey(key))
    return url === undefined ? undefined : keyOfUrl(url)
  }
  for (const { linkDb } of sources) {
    for await (const { key, links } of linkDb.bySource()) {
      signal?.throwIfAborted()
      const source = keyKept(key)
      if (source === undefined) continue
      const kept = links.flatMap(({ to, anchor }) => {
        const target = keyKept(to)
        return target === undefined ? [] : [[target, anchor]]
      })
      if (kept.length > 0) yield [{ key: source, payload: JSON.stringify(kept) }]
    }
  }
}

function readLinks(payload: string): readonly StoredLink[] {
  return (JSON.parse(payload) as [string, string][]).map(([to, anchor]) => ({ to, anchor })) // written a few lines above
}

/** The old links themselves if the others bring nothing new. */
function united(old: readonly StoredLink[] | undefined, others: readonly (readonly StoredLink[])[]): readonly StoredLink[] {
  const all = linkSet([...(old ?? []), ...others.flat()])
  return old?.length === all.length ? old : all
}
