import { Transform, type TransformCallback } from 'node:stream'
import type { FetchedPage } from '../record/exchange.js'
import type { FetchItem } from '../record/records.js'
import type { Stage } from '../stream/stage.js'
import { type FetchAllOptions, fetchAll } from './fetch-all.js'
import type { FetchSource } from './fetch-source.js'

/** What a fetch needs besides its items. */
export type FetchPagesOptions = Omit<FetchAllOptions, 'source' | 'onPage'>

/**
 * The fetch stage: items in, pages out, in the order in which they are done. Takes as many items ahead as `fetcher.queue.depth.multiplier` allows, so
 * that one slow host does not hold the others up. Items that end without an outcome (stopped, or their queue given up) do not come out.
 */
export function fetchPages(options: FetchPagesOptions): Stage<FetchItem, FetchedPage> {
  const { config } = options
  const inbox = new Inbox(config.maxInFlight * config.queueDepth)
  const aborter = new AbortController()
  const signal = options.signal === undefined ? aborter.signal : AbortSignal.any([options.signal, aborter.signal])
  let readMore = (): void => undefined
  const stage: Stage<FetchItem, FetchedPage> = new Transform({
    objectMode: true,
    highWaterMark: 1,
    transform(item: FetchItem, _encoding, done: TransformCallback): void {
      inbox.put(item, done)
    },
    flush(done: TransformCallback): void {
      inbox.end()
      running.then(() => done(), done)
    },
    destroy(error, done): void {
      aborter.abort(error ?? new Error('the fetch stage was closed'))
      inbox.end()
      readMore()
      running.then(
        () => done(error),
        () => done(error),
      )
    },
  })
  const read = stage._read.bind(stage)
  stage._read = (size: number): void => {
    readMore()
    read(size)
  }
  const onPage = (page: FetchedPage): Promise<void> => {
    if (stage.destroyed || stage.push(page)) return Promise.resolve()
    return new Promise(resolve => {
      const before = readMore
      readMore = () => {
        before()
        readMore = () => undefined
        resolve()
      }
    })
  }
  const running = fetchAll({ ...options, signal, source: inbox, onPage })
  running.catch(error => stage.destroy(error instanceof Error ? error : new Error(String(error))))
  return stage
}

/** A bounded source that a stream fills. */
class Inbox implements FetchSource {
  readonly #queues = new Map<string, FetchItem[]>()
  #fresh: string[] = []
  #held = 0
  #isEnded = false
  #wantQueues: (() => void) | undefined
  #roomFor: (() => void) | undefined

  constructor(readonly maxItems: number) {}

  /** Calls `done` when there is room for the next one. */
  put(item: FetchItem, done: () => void): void {
    const queue = this.#queues.get(item.queueId)
    if (queue === undefined) {
      this.#queues.set(item.queueId, [item])
      this.#fresh.push(item.queueId)
    } else queue.push(item)
    this.#held += 1
    this.#wantQueues?.()
    if (this.#held < this.maxItems) done()
    else this.#roomFor = done
  }

  end(): void {
    this.#isEnded = true
    this.#wantQueues?.()
  }

  async nextQueues(limit: number): Promise<readonly string[]> {
    if (this.#fresh.length === 0 && !this.#isEnded) {
      await new Promise<void>(resolve => {
        this.#wantQueues = resolve
      })
      this.#wantQueues = undefined
    }
    const given = this.#fresh.slice(0, limit)
    this.#fresh = this.#fresh.slice(limit)
    return given
  }

  take(queueId: string, limit: number): Promise<readonly FetchItem[]> {
    const items = this.#queues.get(queueId)?.splice(0, limit) ?? []
    if (items.length === 0) this.#queues.delete(queueId)
    this.#held -= items.length
    const roomFor = this.#held < this.maxItems ? this.#roomFor : undefined
    if (roomFor !== undefined) {
      this.#roomFor = undefined
      roomFor()
    }
    return Promise.resolve(items)
  }

  giveBack(): void {
    // What was not fetched does not come out; the caller knows what went in.
  }
}
