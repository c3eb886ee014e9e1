import type { Url } from '../record/url.js'
import { keyOfUrl, urlOfKey } from '../record/url-key.js'
import { CommitQueue } from '../store/commit-queue.js'
import { JobLedger } from '../store/job-ledger.js'
import { type Change, type Level, writeChanges } from '../store/level-store.js'
import { readSorted } from '../store/read-sorted.js'
import type { Commit, Merged, MergeTarget } from '../store/sorted-merge.js'
import { addToList } from '../stream/add-to-list.js'
import { anchorBytes, anchorsOf, decodeLinks, encodeLinks, type StoredLink } from './links-codec.js'

/** A link as seen from its target. */
export interface Inlink {
  readonly from: Url
  readonly anchor: string
}

/** A link as seen from its source. */
export interface OutlinkOf {
  readonly to: Url
  readonly anchor: string
}

const outlinksTable = '!outlinks!'
const inlinksTable = '!inlinks!'
/** Between target and source in a key of `inlinks`; no key of a URL holds it. */
const separator = '\u0000'

/**
 * Who links to whom (Nutch's LinkDb): `outlinks` holds what each page links to as of its last parse, `inlinks` one entry for each of them under its
 * target, with all anchors. A page that is parsed again takes back the links that it no longer has.
 */
export class LinkDb implements MergeTarget<readonly StoredLink[]> {
  readonly commits = new CommitQueue()
  readonly ledger: JobLedger

  constructor(readonly level: Level) {
    this.ledger = new JobLedger(level)
  }

  async readSorted(keys: readonly string[]): Promise<(readonly StoredLink[] | undefined)[]> {
    const values = await readSorted(this.level, outlinksTable, keys)
    return values.map((bytes, index) => (bytes === undefined ? undefined : decodeLinks(keys[index] as string, bytes)))
  }

  prepare(merged: readonly Merged<readonly StoredLink[]>[]): Commit {
    const changes = merged.flatMap(changesOf)
    return (extra, isSynced) => writeChanges(this.level, [...changes, ...extra], isSynced)
  }

  /** Must run inside a turn of `commits`. */
  async commit(merged: readonly Merged<readonly StoredLink[]>[]): Promise<void> {
    await this.prepare(merged)([])
  }

  /** Links to a page, in the order of their sources' keys; `limit` at most. */
  async *inlinks(url: Url, limit = Number.POSITIVE_INFINITY): AsyncGenerator<Inlink> {
    const prefix = inlinksTable + keyOfUrl(url) + separator
    let left = limit
    for await (const [key, value] of this.level.iterator({ gte: prefix, lt: `${prefix.slice(0, -1)}\u0001` })) {
      const from = urlOfKey(key.slice(prefix.length))
      for (const anchor of anchorsOf(value)) {
        if (left-- <= 0) return
        yield { from, anchor }
      }
    }
  }

  async outlinks(url: Url): Promise<readonly OutlinkOf[]> {
    const [links = []] = await this.readSorted([keyOfUrl(url)])
    return links.map(({ to, anchor }) => ({ to: urlOfKey(to), anchor }))
  }

  /** All links, grouped by target, in the order of keys. */
  async *byTarget(): AsyncGenerator<{ readonly url: Url; readonly inlinks: readonly Inlink[] }> {
    let target: string | undefined
    let inlinks: Inlink[] = []
    for await (const [key, value] of this.level.iterator({ gte: inlinksTable, lt: '!inlinks"' })) {
      const cut = key.indexOf(separator)
      const to = key.slice(inlinksTable.length, cut)
      if (to !== target) {
        if (target !== undefined) yield { url: urlOfKey(target), inlinks }
        target = to
        inlinks = []
      }
      const from = urlOfKey(key.slice(cut + 1))
      for (const anchor of anchorsOf(value)) inlinks.push({ from, anchor })
    }
    if (target !== undefined) yield { url: urlOfKey(target), inlinks }
  }

  /** Every page that has links, with them, in the order of keys. */
  async *bySource(): AsyncGenerator<{ readonly key: string; readonly links: readonly StoredLink[] }> {
    for await (const [key, bytes] of this.level.iterator({ gte: outlinksTable, lt: '!outlinks"' })) {
      const source = key.slice(outlinksTable.length)
      yield { key: source, links: decodeLinks(source, bytes) }
    }
  }
}

function changesOf({ key, old = [], next = [] }: Merged<readonly StoredLink[]>): Change[] {
  const changes: Change[] = []
  const before = valuesByTarget(old)
  for (const [to, value] of valuesByTarget(next)) {
    if (before.get(to)?.equals(value) !== true) changes.push({ key: inlinkKey(to, key), value })
    before.delete(to)
  }
  for (const to of before.keys()) changes.push({ key: inlinkKey(to, key) })
  changes.push(next.length === 0 ? { key: outlinksTable + key } : { key: outlinksTable + key, value: encodeLinks(key, next) })
  return changes
}

function valuesByTarget(links: readonly StoredLink[]): Map<string, Buffer> {
  const anchors = new Map<string, string[]>()
  for (const { to, anchor } of links) addToList(anchors, to, anchor)
  return new Map([...anchors].map(([to, texts]) => [to, anchorBytes(texts)]))
}

function inlinkKey(to: string, from: string): string {
  return inlinksTable + to + separator + from
}
