import { configWith } from '../../lib/config/resolve-config.js'
import { type FetchAllOptions, fetchAll } from '../../lib/fetch/fetch-all.js'
import { type FetchSource, MemorySource } from '../../lib/fetch/fetch-source.js'
import { outcomeWithoutRequest } from '../../lib/fetch/outcome.js'
import type { PageFetcher } from '../../lib/fetch/page-fetcher.js'
import type { RequestReport } from '../../lib/fetch/turns.js'
import type { FetchedPage } from '../../lib/record/exchange.js'
import type { FetchItem } from '../../lib/record/records.js'
import { itemFor } from './fetch-setup.js'
import { ManualTime } from './manual-time.js'

/** A request as the simulated host saw it, epoch ms. */
export interface SimulatedRequest {
  readonly url: string
  readonly queueId: string
  readonly startMs: number
  readonly endMs: number
  readonly dueDelayMs: number
}

export interface Simulation {
  readonly requests: SimulatedRequest[]
  readonly time: ManualTime
  readonly run: (items: readonly FetchItem[] | FetchSource, options?: Partial<FetchAllOptions>) => ReturnType<typeof fetchAll>
  readonly pages: FetchedPage[]
}

/** A frontier over requests that take `tookMs` each, and end as `report` says. */
export function simulate(
  values: Readonly<Record<string, unknown>>,
  { tookMs = () => 100, report = () => ({}) }: { tookMs?: (item: FetchItem) => number; report?: (item: FetchItem) => Partial<RequestReport> } = {},
): Simulation {
  const config = configWith(values)
  const time = new ManualTime(1_000_000)
  const requests: SimulatedRequest[] = []
  const pages: FetchedPage[] = []
  const fetcher: Pick<PageFetcher, 'fetchItem'> = {
    async fetchItem(item, turns) {
      const turn = await turns?.take(item.queueId)
      if (turn === undefined) return []
      const startMs = time.nowMs()
      const ms = tookMs(item)
      await new Promise<void>(resolve => time.start(ms, resolve))
      const endMs = time.nowMs()
      requests.push({ url: item.url, queueId: turn.queueId, startMs, endMs, dueDelayMs: turn.dueDelayMs })
      turn.end({ endMs, tookMs: ms, isException: false, ...report(item) })
      const said = { status: 'fetch_success', protocolStatus: 'success', cause: '', causeClass: '' } as const
      return [{ outcome: outcomeWithoutRequest(item, endMs, said), exchanges: [] }]
    },
  }
  return {
    requests,
    time,
    pages,
    run(items, options = {}) {
      const source = 'nextQueues' in items ? items : new MemorySource(items)
      const onPage = async (page: FetchedPage): Promise<void> => void pages.push(page)
      return time.runUntil(fetchAll({ source, fetcher, config: config.fetch, clock: time, timers: time, onPage, ...options }))
    },
  }
}

/** Items of hosts h0.example, h1.example, … one host after the other. */
export const itemsOf = (hosts: number, perHost: number): FetchItem[] =>
  Array.from({ length: hosts * perHost }, (_, index) => itemFor(`http://h${Math.floor(index / perHost)}.example/${index % perHost}`))

/** Gaps between the end of a request and the start of the next one to the same queue. */
export function gapsOf(requests: readonly SimulatedRequest[]): { readonly gapMs: number; readonly dueMs: number }[] {
  const lastEndMs = new Map<string, number>()
  return [...requests]
    .sort((a, b) => a.startMs - b.startMs)
    .flatMap(({ queueId, startMs, endMs, dueDelayMs }) => {
      const before = lastEndMs.get(queueId)
      lastEndMs.set(queueId, endMs)
      return before === undefined ? [] : [{ gapMs: startMs - before, dueMs: dueDelayMs }]
    })
}

/** Most requests that were in flight at one time. */
export function mostAtOnce(requests: readonly SimulatedRequest[]): number {
  const marks = requests.flatMap(({ startMs, endMs }) => [
    { atMs: startMs, change: 1 },
    { atMs: endMs, change: -1 },
  ])
  marks.sort((a, b) => a.atMs - b.atMs || a.change - b.change)
  let now = 0
  return Math.max(...marks.map(({ change }) => (now += change)))
}
