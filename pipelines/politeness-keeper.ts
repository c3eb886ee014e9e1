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
/** The same for what was learnt just now. */
const urgentMs = 20

/**
 * Keeps politeness for a run that fetches: gives it what earlier runs left, writes checkpoints while it runs, so that a kill costs no host its
 * delay, and what stands at the end. A run that follows a killed one asks no host before a whole delay has passed.
 */
export class PolitenessKeeper {
  #timer: NodeJS.Timeout | undefined
  #exportState: (() => PolitenessState) | undefined
  #writing: Promise<void> | undefined
  #writeMs = 0
  #isUrgent = false
  #written: string | undefined

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
    this.#exportState = exportState
    this.#rest()
  }

  /** Something was learnt that a kill must not take away: the next checkpoint comes as soon as may be. */
  writeSoon(): void {
    if (this.#isUrgent) return
    this.#isUrgent = true
    if (this.#writing === undefined && this.#exportState !== undefined) this.#rest()
  }

  /** Ends the checkpoints; the file goes on saying that a run is under way. */
  async abandon(): Promise<void> {
    this.#exportState = undefined
    clearTimeout(this.#timer)
    await this.#writing
  }

  /** Ends the checkpoints and writes what stands at the end. @throws {CrawlError} DISK_FULL, IO_FAILED */
  async end(state: PolitenessState): Promise<void> {
    await this.abandon()
    await this.#write(state, false)
  }

  #rest(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#checkpoint(), Math.max(this.#isUrgent ? urgentMs : checkpointMs, this.#writeMs * restsForWrite))
    this.#timer.unref()
  }

  #checkpoint(): void {
    if (this.#exportState === undefined) return
    this.#isUrgent = false
    const startedMs = performance.now()
    this.#writing = this.#write(this.#exportState(), true)
      .catch(error => this.log.warn({ cause: messageOf(error) }, 'politeness could not be noted'))
      .finally(() => {
        this.#writing = undefined
        this.#writeMs = performance.now() - startedMs
        if (this.#exportState !== undefined) this.#rest()
      })
  }

  /** Queues of another process that fetches into the same folder are kept, as long as they matter. */
  async #write(state: PolitenessState, isRunning: boolean): Promise<void> {
    const now = { nowMs: this.clock.nowMs(), wallMs: this.wall.nowMs(), config: this.config }
    const before = await readStoredPoliteness(this.folder)
    const others = before === undefined ? {} : restorePoliteness({ ...before, isRunning: false }, now)
    const stored: StoredPoliteness = { isRunning, clockMs: now.nowMs, wallMs: now.wallMs, queues: { ...others, ...state } }
    const text = JSON.stringify(stored.queues)
    if (isRunning && text === this.#written) return
    await writePoliteness(this.folder, stored)
    this.#written = text
  }
}
