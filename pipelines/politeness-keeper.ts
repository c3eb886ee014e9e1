import type { FetchConfig } from '../lib/config/fetch-options.js'
import { messageOf } from '../lib/errors/crawl-error.js'
import { type PolitenessState, unknownPoliteness } from '../lib/fetch/politeness.js'
import { type Clock, systemClock } from '../lib/log/clock.js'
import type { Logger } from '../lib/log/logger.js'
import type { JobContext } from './job.js'
import { readStoredPoliteness, restorePoliteness, type StoredPoliteness, writePoliteness } from './politeness-file.js'

/** Time between checkpoints, at least; a write that takes long makes it longer. */
const checkpointMs = 1000
const restsForWrite = 20

/**
 * Keeps politeness for a run that fetches: gives it what earlier runs left, writes checkpoints while it runs, so that a kill costs no host its
 * delay, and what stands at the end. A run that follows a killed one asks no host before a whole delay has passed.
 */
export class PolitenessKeeper {
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #written = ''
  #restMs = checkpointMs

  private constructor(
    readonly folder: string,
    readonly clock: Clock,
    readonly wall: Clock,
    readonly config: FetchConfig,
    readonly log: Logger,
    /** What earlier runs knew of their queues. */
    readonly state: PolitenessState,
    /** No queue that `state` does not name is to be asked before this time, epoch ms. */
    readonly notBeforeMs: number | undefined,
  ) {}

  /** Reads what is kept, and notes that a run is under way. */
  static async open(context: Pick<JobContext, 'folder' | 'config' | 'pacingClock' | 'log'>, wall: Clock = systemClock): Promise<PolitenessKeeper> {
    const { folder, config, pacingClock, log } = context
    const stored = await readStoredPoliteness(folder.root)
    const nowMs = pacingClock.nowMs()
    const state = stored === undefined ? {} : restorePoliteness(stored, { nowMs, wallMs: wall.nowMs(), config: config.fetch })
    const notBeforeMs = stored?.isRunning === true ? nowMs + unknownPoliteness(nowMs, config.fetch).delayMs : undefined
    const keeper = new PolitenessKeeper(folder.root, pacingClock, wall, config.fetch, log, state, notBeforeMs)
    await keeper.#write(state, true)
    return keeper
  }

  /** Writes checkpoints until `end`. Whoever opens a keeper ends it, or leaves it to be taken for killed with `abandon`. */
  watch(exportState: () => PolitenessState): void {
    this.#timer = setTimeout(() => {
      const startedMs = performance.now()
      this.#writing = this.#checkpoint(exportState())
        .catch(error => this.log.warn({ cause: messageOf(error) }, 'politeness could not be noted'))
        .finally(() => {
          this.#restMs = Math.max(checkpointMs, (performance.now() - startedMs) * restsForWrite)
          if (this.#timer !== undefined) this.watch(exportState)
        })
    }, this.#restMs)
    this.#timer.unref()
  }

  /** Ends the checkpoints; the file goes on saying that a run is under way. */
  async abandon(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#writing
  }

  /** Ends the checkpoints and writes what stands at the end. @throws {CrawlError} DISK_FULL, IO_FAILED */
  async end(state: PolitenessState): Promise<void> {
    await this.abandon()
    await this.#write(state, false)
  }

  async #checkpoint(state: PolitenessState): Promise<void> {
    if (JSON.stringify(state) !== this.#written) await this.#write(state, true)
  }

  /** Queues of another process that fetches into the same folder are kept, as long as they matter. */
  async #write(state: PolitenessState, isRunning: boolean): Promise<void> {
    const now = { nowMs: this.clock.nowMs(), wallMs: this.wall.nowMs(), config: this.config }
    const before = await readStoredPoliteness(this.folder)
    const others = before === undefined ? {} : restorePoliteness({ ...before, isRunning: false }, now)
    const stored: StoredPoliteness = { isRunning, clockMs: now.nowMs, wallMs: now.wallMs, queues: { ...others, ...state } }
    await writePoliteness(this.folder, stored)
    this.#written = JSON.stringify(state)
  }
}
