import type { DbDatum } from '../record/records.js'
import type { Url } from '../record/url.js'
import { type KeyRange, keyOfUrl } from '../record/url-key.js'
import { CommitQueue } from '../store/commit-queue.js'
import { entersLedger, JobLedger } from '../store/job-ledger.js'
import type { Change, Level } from '../store/level-store.js'
import { readEach } from '../store/read-each.js'
import { readSorted } from '../store/read-sorted.js'
import type { Commit, Merged, MergeTarget } from '../store/sorted-merge.js'
import { trailChange } from './batch-trail.js'
import { decodeDatum } from './datum-codec.js'
import { type DbState, recordCount } from './db-state.js'
import type { HeadsOfHosts } from './head-changes.js'
import { type HostOutcomes, hostChanges } from './host-table.js'
import { IndexedChanges, type IndexMove } from './indexed-changes.js'
import type { SortValueOf } from './place.js'
import { scanBatches } from './scan.js'
import type { Seal } from './seal.js'
import { endOf, tables } from './tables.js'

export interface CrawlDbParts {
  readonly level: Level
  readonly state: DbState
  readonly seal: Seal
  readonly sortValueOf: SortValueOf
}

/** The CrawlDb: one record for each URL, and the indexes over them. Open one with `withCrawlDb`. */
export class CrawlDb implements MergeTarget<DbDatum> {
  readonly commits = new CommitQueue()
  /** Whole jobs, one after the other: a job that another process asks for waits for the one that is under way. */
  readonly jobs = new CommitQueue()
  readonly ledger: JobLedger
  readonly level: Level
  readonly sortValueOf: SortValueOf
  readonly seal: Seal
  #state: DbState
  /** What the last batch left in `heads`: what is prepared for the next one may have been read before. */
  #lastHeads: HeadsOfHosts = new Map()

  constructor({ level, state, seal, sortValueOf }: CrawlDbParts) {
    this.level = level
    this.sortValueOf = sortValueOf
    this.ledger = new JobLedger(level, 'descending') // see `prepare`
    this.#state = state
    this.seal = seal
  }

  get state(): DbState {
    return this.#state
  }

  /** Number of records. */
  get count(): number {
    return recordCount(this.#state)
  }

  /** @throws {CrawlError} RECORD_CORRUPT, RECORD_VERSION */
  async get(url: Url): Promise<DbDatum | undefined> {
    const [datum] = await this.readMany([keyOfUrl(url)])
    return datum
  }

  /** Records by key. LevelDB reads them in the order of keys, in which neighbours share tables and blocks. */
  async readMany(keys: readonly string[]): Promise<(DbDatum | undefined)[]> {
    const sorted = [...keys].sort()
    const values = await readEach(
      this.level,
      sorted.map(key => tables.datum + key),
    )
    const byKey = new Map(sorted.map((key, index) => [key, values[index]]))
    return decoded(
      keys,
      keys.map(key => byKey.get(key)),
    )
  }

  /** Records by key, keys in order: where these lie close together a range is read. */
  async readSorted(keys: readonly string[]): Promise<(DbDatum | undefined)[]> {
    return decoded(keys, await readSorted(this.level, tables.datum, keys))
  }

  /** Raw records in the order of keys, of a snapshot taken now; a batch for each read of LevelDB. */
  scan(range: Partial<KeyRange> = {}): AsyncGenerator<(readonly [key: string, bytes: Buffer])[]> {
    return scanBatches(this.level, tables.datum, range)
  }

  /** Decoded records in the order of keys. */
  async *records(range: Partial<KeyRange> = {}): AsyncGenerator<DbDatum> {
    for await (const batch of this.scan(range)) for (const [key, bytes] of batch) yield decodeDatum(key, bytes)
  }

  /**
   * Must run inside a turn of `commits`, as what it gives, of which one runs at a time. `outcomes` are for the facts of hosts. A merge goes from the last key to the
   * first: LevelDB counts each read of a key that a table spans and does not hold, and compacts that table after a hundred of them. A table that was just written
   * holds a stretch of records and then their index entries, so it spans all records behind the stretch: what is still to be read must lie before it.
   */
  prepare(merged: readonly Merged<DbDatum>[], outcomes?: HostOutcomes, patch: Partial<DbState> = {}): Commit {
    const changes = new IndexedChanges(this.level, patch.waterMark ?? this.#state.waterMark, this.sortValueOf)
    changes.addAll(merged)
    return async (extra, isSynced = false) => {
      const ofHosts = this.#state.keepsHosts === true ? await hostChanges(this.level, merged, outcomes) : []
      const hasChanged = merged.length + Object.keys(patch).length > 0 || entersLedger(extra)
      await this.#write(changes, patch, [...ofHosts, ...extra], isSynced, hasChanged)
    }
  }

  /** Must run inside a turn of `commits`. `patch` changes the state besides what follows from the records. */
  async commit(merged: readonly Merged<DbDatum>[], extra: readonly Change[] = [], isSynced = false, patch: Partial<DbState> = {}): Promise<void> {
    await this.prepare(merged, undefined, patch)(extra, isSynced)
  }

  /** Moves index entries of records that do not change. Must run inside a turn of `commits`. */
  async move(moves: readonly IndexMove[], patch: Partial<DbState>): Promise<void> {
    const changes = new IndexedChanges(this.level, patch.waterMark ?? this.#state.waterMark, this.sortValueOf)
    changes.move(moves)
    await this.#write(changes, patch, [], false, true)
  }

  async #write(changes: IndexedChanges, patch: Partial<DbState>, extra: readonly Change[], isSynced: boolean, hasChanged: boolean): Promise<void> {
    const heads = await changes.addHeads(this.#lastHeads)
    const state = hasChanged ? changes.stateAfter({ ...this.#state, ...patch }) : this.#state
    const own = hasChanged ? [{ key: tables.state, value: Buffer.from(JSON.stringify(state)) }, trailChange(state.sequence)] : []
    this.#lastHeads = new Map() // of a batch that is not written nothing is known
    await changes.write([...extra, ...own], isSynced)
    this.#state = state
    this.#lastHeads = heads
    if (isSynced) await this.seal.write(state)
  }

  /** Lets LevelDB rewrite a range of one table, so that what was deleted there costs nothing any more. */
  async compact(prefix: string, range: Partial<KeyRange> = {}): Promise<void> {
    await this.level.compactRange(prefix + (range.gte ?? ''), range.lt === undefined ? endOf(prefix) : prefix + range.lt)
  }
}

function decoded(keys: readonly string[], values: readonly (Buffer | undefined)[]): (DbDatum | undefined)[] {
  return keys.map((key, index) => {
    const bytes = values[index]
    return bytes === undefined ? undefined : decodeDatum(key, bytes)
  })
}
