import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import type { Config } from '../lib/config/options.js'
import { createUrlRules } from './crawl-url-rules.js'
import { ownedBuffers } from './owned-buffers.js'
import { type PageResult, type PageTask, PageWork } from './page-work.js'
import { noPlugins, type Plugins } from './plugins.js'
import { createScoring } from './rules.js'
import { openResult, type SealedResult } from './sealed-result.js'

/** Does the work on pages: in worker threads, or on this one. */
export interface PagePool {
  /** Bytes of the task that own their memory are handed over, not copied. */
  run(task: PageTask): Promise<PageResult>
  close(): Promise<void>
}

/** `millrace.workers` threads; -1 takes one for each processor but one, at least one; 0 none. Threads load the plugins that the configuration names. */
export function createPagePool(config: Config, plugins: Plugins = noPlugins): PagePool {
  const { workers } = config.crawl
  const threads = workers < 0 ? Math.max(1, availableParallelism() - 1) : workers
  return threads === 0 ? createInlinePool(config, plugins) : createThreadPool(config, threads, plugins)
}

function createInlinePool(config: Config, plugins: Plugins): PagePool {
  const work = new PageWork({ config, rules: createUrlRules(config, { plugins }), scoring: createScoring(config, plugins), plugins })
  return { run: async task => work.run(task), close: async () => undefined }
}

function createThreadPool(config: Config, threads: number, plugins: Plugins): PagePool {
  const pool = new Piscina({
    filename: fileURLToPath(new URL('./page-worker.js', import.meta.url)),
    name: 'runPages',
    workerData: config,
    minThreads: threads,
    maxThreads: threads,
    resourceLimits: { maxYoungGenerationSizeMb: youngMB },
  })
  const batches = new TaskBatches(threads * 2, async tasks => {
    const transferList = ownedBuffers(tasks.flatMap(bytesOf))
    return pool.run(tasks, { transferList }) as Promise<SealedResult[]> // the worker's one function gives no other
  })
  return { run: async task => openResult(await batches.run(task), plugins.report), close: () => pool.close({ force: true }) }
}

/** Half of what V8 takes by itself: a page leaves little behind, and what is collected sooner costs no more. */
const youngMB = 24

function bytesOf({ exchanges, page }: PageTask): (Uint8Array | undefined)[] {
  return [...exchanges.flatMap(({ body, payload }) => [body, payload]), page?.bytes]
}

interface WaitingTask {
  readonly task: PageTask
  readonly resolve: (result: SealedResult) => void
  readonly reject: (error: unknown) => void
}

const tasksPerBatch = 16

/** Sends tasks in batches: a message between threads costs about as much as a tenth of the work on a page. What comes while the threads are busy
 *  goes together. */
class TaskBatches {
  readonly #waiting: WaitingTask[] = []
  #inFlight = 0

  constructor(
    readonly maxInFlight: number,
    readonly send: (tasks: readonly PageTask[]) => Promise<readonly SealedResult[]>,
  ) {}

  run(task: PageTask): Promise<SealedResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, resolve, reject })
      this.#pump()
    })
  }

  #pump(): void {
    while (this.#inFlight < this.maxInFlight && this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, tasksPerBatch)
      this.#inFlight++
      this.send(batch.map(({ task }) => task))
        .then(
          results => {
            for (const [index, { resolve }] of batch.entries()) resolve(results[index] as SealedResult) // one for each task
          },
          error => {
            for (const { reject } of batch) reject(error)
          },
        )
        .finally(() => {
          this.#inFlight--
          this.#pump()
        })
    }
  }
}
