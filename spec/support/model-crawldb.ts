/**
 * The CrawlDb as a map, and its jobs as plainly as they can be said: the state table of Nutch's CrawlDbReducer, its default schedule and OPIC,
 * written from their description and sharing no code with what it is held against.
 */

const dayMs = 86_400_000
const defaultIntervalS = 30 * 86_400
const maxIntervalS = 90 * 86_400
const retryMax = 3
const lockKeys = ['_ngt_', 'nutch.segment.name', '_ngu_']

/** A record; its fields are those of a CrawlDatum. */
export interface ModelRecord {
  status: string
  fetchTimeMs: number
  modifiedTimeMs: number
  retries: number
  fetchIntervalS: number
  score: number
  /** Hex, empty if there is none. */
  signature: string
  metadata: Record<string, string>
}

export interface ModelSeed {
  readonly url: string
  readonly score?: number
  readonly fetchIntervalS?: number
  readonly metadata: Readonly<Record<string, string>>
}

export type ModelOutcomeKind = 'success' | 'parse_failed' | 'unparsed' | 'notmodified' | 'redir_temp' | 'redir_perm' | 'retry' | 'gone'

/** How the fetch of one URL of a list ended. */
export interface ModelOutcome {
  readonly url: string
  readonly kind: ModelOutcomeKind
  readonly fetchMs: number
  /** Hex; of a success that was parsed. */
  readonly signature: string
  /** Links of a success that was parsed. */
  readonly links: readonly string[]
  readonly redirectTo: string
}

export class ModelCrawlDb {
  readonly records = new Map<string, ModelRecord>()

  inject(seeds: readonly ModelSeed[], mode: 'keep' | 'overwrite' | 'update', nowMs: number): void {
    const lastOfUrl = new Map(seeds.map(seed => [seed.url, seed]))
    for (const [url, { score = 1, fetchIntervalS = defaultIntervalS, metadata }] of lastOfUrl) {
      const old = this.records.get(url)
      if (old !== undefined && mode === 'keep') continue
      if (old !== undefined && mode === 'update') {
        Object.assign(old.metadata, metadata)
        if (score !== 1) old.score = score
        if (fetchIntervalS !== defaultIntervalS) old.fetchIntervalS = fetchIntervalS
        continue
      }
      const lock = Object.entries(old?.metadata ?? {}).filter(([key]) => lockKeys.includes(key))
      this.records.set(url, {
        ...{ status: 'db_unfetched', fetchTimeMs: nowMs, modifiedTimeMs: 0, retries: 0, fetchIntervalS, score, signature: '' },
        metadata: { ...metadata, ...Object.fromEntries(lock) },
      })
    }
  }

  /** Scores of the best list that there is, best first. */
  scoresOfBestList(topN: number, maxPerHost: number, nowMs: number): number[] {
    const perHost = new Map<string, number>()
    const scores: number[] = []
    const eligible = [...this.records].filter(([, record]) => isSelectable(record, nowMs)).sort(([, a], [, b]) => b.score - a.score)
    for (const [url, { score }] of eligible) {
      const host = new URL(url).hostname
      const count = perHost.get(host) ?? 0
      if (count >= maxPerHost || scores.length >= topN) continue
      perHost.set(host, count + 1)
      scores.push(score)
    }
    return scores
  }

  isSelectable(url: string, nowMs: number): boolean {
    const record = this.records.get(url)
    return record !== undefined && isSelectable(record, nowMs)
  }

  lock(urls: readonly string[], segment: string, nowMs: number, untilMs: number): void {
    for (const url of urls) {
      const { metadata } = this.records.get(url) as ModelRecord
      Object.assign(metadata, { _ngt_: String(nowMs), 'nutch.segment.name': segment, _ngu_: String(untilMs) })
    }
  }

  /** `listed`: the records as they were when the list was made. */
  update(segment: string, listed: ReadonlyMap<string, ModelRecord>, outcomes: readonly ModelOutcome[], nowMs: number): void {
    const links = new Map<string, ModelLink[]>()
    const addLink = (to: string, link: ModelLink): void => void links.set(to, [...(links.get(to) ?? []), link])
    for (const { url, kind, links: found, redirectTo } of outcomes) {
      const targets = kind === 'success' ? found : []
      const source = listed.get(url) as ModelRecord
      const share = Math.fround(source.score / Math.max(1, targets.length))
      for (const to of targets) addLink(to, { from: url, score: share })
      if (kind.startsWith('redir') && redirectTo !== url)
        addLink(redirectTo, {
          from: url,
          score: 0,
          fetchIntervalS: source.fetchIntervalS,
          metadata: ofTarget(source.metadata, url, kind, redirectTo),
        })
    }
    const outcomeOf = new Map(outcomes.map(outcome => [outcome.url, outcome]))
    const touched = new Set([...listed.keys(), ...outcomeOf.keys(), ...links.keys()])
    for (const url of touched) this.#updateOne(url, segment, outcomeOf.get(url), links.get(url) ?? [], listed, nowMs)
  }

  #updateOne(
    url: string,
    segment: string,
    outcome: ModelOutcome | undefined,
    links: readonly ModelLink[],
    listed: ReadonlyMap<string, ModelRecord>,
    nowMs: number,
  ): void {
    const old = this.records.get(url)
    let record = old
    if (outcome !== undefined) {
      record = copyOf(old ?? (listed.get(url) as ModelRecord))
      applyOutcome(record, old?.signature ?? '', outcome)
    } else if (old === undefined && links.length > 0) {
      const [best] = [...links].sort((a, b) => b.score - a.score || (a.from < b.from ? -1 : 1))
      record = {
        ...{ status: 'db_unfetched', fetchTimeMs: nowMs, modifiedTimeMs: 0, retries: 0, score: 0, signature: '' },
        fetchIntervalS: best?.fetchIntervalS ?? defaultIntervalS,
        metadata: { ...best?.metadata },
      }
    }
    if (record === undefined) return
    record.score = Math.fround(links.reduce((sum, { score }) => sum + score, record.score))
    if (listed.has(url) && record.metadata['nutch.segment.name'] === segment) for (const key of lockKeys) delete record.metadata[key]
    this.records.set(url, record)
  }

  dedup(): void {
    const groups = new Map<string, [string, ModelRecord][]>()
    for (const entry of this.records) {
      const [, { signature, status }] = entry
      if (signature === '' || !['db_fetched', 'db_notmodified', 'db_duplicate'].includes(status)) continue
      groups.set(signature, [...(groups.get(signature) ?? []), entry])
    }
    for (const group of groups.values()) {
      group.sort(([a, x], [b, y]) => y.score - x.score || y.fetchTimeMs - x.fetchTimeMs || a.length - b.length || (a < b ? -1 : 1))
      for (const [index, [, record]] of group.entries()) {
        if (index > 0) record.status = 'db_duplicate'
        else if (record.status === 'db_duplicate') record.status = 'db_fetched'
      }
    }
  }
}

interface ModelLink {
  readonly from: string
  readonly score: number
  readonly fetchIntervalS?: number
  readonly metadata?: Readonly<Record<string, string>>
}

function isSelectable(record: ModelRecord, nowMs: number): boolean {
  const isLocked = Number(record.metadata._ngu_ ?? 0) > nowMs
  const isDue = record.fetchTimeMs <= nowMs || record.fetchTimeMs - nowMs > maxIntervalS * 1000
  return isDue && !isLocked && record.score >= 0
}

export function copyOf(record: ModelRecord): ModelRecord {
  return { ...record, metadata: { ...record.metadata } }
}

/** What a redirect's target takes over from its source: no facts of the fetch, and the URL that represents both if that is not the target. */
function ofTarget(metadata: Readonly<Record<string, string>>, url: string, kind: ModelOutcomeKind, target: string): Record<string, string> {
  const { _repr_ = url, ...others } = metadata
  const taken = Object.fromEntries(Object.entries(others).filter(([key]) => !['_pst_', '_cause_', ...lockKeys].includes(key)))
  return isRepresented(_repr_, target, kind === 'redir_temp') ? { ...taken, _repr_ } : taken
}

/** Whether the source stands for the target too. Each host of the model is a domain of its own, and no path has more than one part. */
function isRepresented(source: string, target: string, isTemporary: boolean): boolean {
  const [from, to] = [new URL(source), new URL(target)]
  if (source === target || from.host !== to.host) return false
  if (from.pathname === '/' || to.pathname === '/') return from.pathname === '/'
  return isTemporary && from.pathname.length <= to.pathname.length
}

function applyOutcome(record: ModelRecord, oldSignature: string, outcome: ModelOutcome): void {
  const { kind, fetchMs, signature } = outcome
  delete record.metadata._cause_
  record.metadata._pst_ = protocolStatusOf(outcome)
  if (kind === 'retry') {
    record.retries = Math.min(255, record.retries + 1)
    record.status = record.retries < retryMax ? 'db_unfetched' : 'db_gone'
    record.fetchTimeMs = fetchMs + dayMs
    record.metadata._cause_ = 'it failed'
    if (record.status === 'db_gone') scheduleGone(record, fetchMs)
  } else if (kind === 'gone' || kind === 'parse_failed') {
    record.status = kind === 'gone' ? 'db_gone' : 'db_parse_failed'
    scheduleGone(record, fetchMs)
  } else applyAnswer(record, oldSignature, kind, fetchMs, kind === 'success' ? signature : '')
}

function applyAnswer(record: ModelRecord, oldSignature: string, kind: ModelOutcomeKind, fetchMs: number, signature: string): void {
  const isEqual = oldSignature !== '' && signature === oldSignature
  const isChanged = oldSignature !== '' && signature !== '' && !isEqual
  record.retries = 0
  record.fetchTimeMs = fetchMs + record.fetchIntervalS * 1000
  if (kind === 'notmodified' || isEqual) record.status = 'db_notmodified'
  else {
    record.status = { success: 'db_fetched', unparsed: 'db_fetched', redir_temp: 'db_redir_temp', redir_perm: 'db_redir_perm' }[kind as string] ?? ''
    record.signature = signature
    if (isChanged || record.modifiedTimeMs === 0) record.modifiedTimeMs = fetchMs
  }
  if (record.fetchIntervalS <= maxIntervalS) return
  Object.assign(record, { status: 'db_unfetched', fetchIntervalS: 0.9 * maxIntervalS, modifiedTimeMs: 0, signature: '' })
  record.fetchTimeMs = Math.min(record.fetchTimeMs, fetchMs + maxIntervalS * 1000)
}

function scheduleGone(record: ModelRecord, fetchMs: number): void {
  const longer = record.fetchIntervalS * 1.5
  record.fetchIntervalS = longer < maxIntervalS ? Math.round(longer) : 0.9 * maxIntervalS
  record.fetchTimeMs = fetchMs + record.fetchIntervalS * 1000
}

function protocolStatusOf({ kind, url, redirectTo }: ModelOutcome): string {
  switch (kind) {
    case 'notmodified':
      return 'notmodified(21), lastModified=0'
    case 'redir_temp':
      return `temp_moved(13), lastModified=0: ${redirectTo}`
    case 'redir_perm':
      return `moved(12), lastModified=0: ${redirectTo}`
    case 'retry':
      return 'exception(16), lastModified=0: it failed'
    case 'gone':
      return `notfound(14), lastModified=0: ${url}`
    default:
      return 'success(1), lastModified=0'
  }
}
