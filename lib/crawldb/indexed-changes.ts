import type { DbDatum } from '../record/records.js'
import type { DbStatus } from '../record/status.js'
import { type Change, ChangeBatch, type Level, presence } from '../store/level-store.js'
import type { Merged } from '../store/sorted-merge.js'
import { encodeDatum } from './datum-codec.js'
import type { DbState } from './db-state.js'
import { HeadChanges, type HeadsOfHosts } from './head-changes.js'
import { indexKeyOf, isSamePlace, type Place, placeOf, type SortValueOf, signatureKeyOf, type WaterMark } from './place.js'
import { tables } from './tables.js'

/** A record's index entry on its way from one place to another. */
export interface IndexMove {
  readonly key: string
  readonly from: Place
  readonly to: Place
}

/** The changes of one batch: values, the index entries that follow from them, and the counts. */
export class IndexedChanges {
  readonly #batch: ChangeBatch
  readonly #waterMark: WaterMark
  readonly #sortValueOf: SortValueOf
  readonly #heads: HeadChanges
  readonly #statusDeltas = new Map<DbStatus, number>()

  constructor(level: Level, waterMark: WaterMark, sortValueOf: SortValueOf) {
    this.#waterMark = waterMark
    this.#sortValueOf = sortValueOf
    this.#batch = new ChangeBatch(level)
    this.#heads = new HeadChanges(level)
  }

  addAll(merged: readonly Merged<DbDatum>[]): void {
    for (const entry of merged) this.#add(entry)
    this.#heads.read()
  }

  /** Moves an index entry without a change of the record: from `wait` to `due`, or to another bucket. */
  move(moves: readonly IndexMove[]): void {
    for (const { key, from, to } of moves) this.#replacePlace(key, from, to)
    this.#heads.read()
  }

  /** Adds what follows for the heads, once the batch before is written. @param lastHeads what that one left there @returns what this one leaves */
  async addHeads(lastHeads: HeadsOfHosts): Promise<HeadsOfHosts> {
    const { changes, heads } = await this.#heads.finish(lastHeads)
    this.#batch.addAll(changes)
    return heads
  }

  /** Writes all in one batch, `extra` behind it. @throws {CrawlError} DISK_FULL or IO_FAILED */
  async write(extra: Iterable<Change>, isSynced: boolean): Promise<void> {
    this.#batch.addAll(extra)
    await this.#batch.write(isSynced)
  }

  stateAfter(state: DbState): DbState {
    const byStatus: Partial<Record<DbStatus, number>> = { ...state.byStatus }
    for (const [status, delta] of this.#statusDeltas) byStatus[status] = (byStatus[status] ?? 0) + delta
    return { ...state, byStatus, sequence: state.sequence + 1 }
  }

  #add({ key, old, next }: Merged<DbDatum>): void {
    if (next === undefined) this.#batch.delete(tables.datum + key)
    else this.#batch.put(tables.datum + key, encodeDatum(key, next))
    if (old?.status !== next?.status) {
      if (old !== undefined) this.#count(old.status, -1)
      if (next !== undefined) this.#count(next.status, 1)
    }
    this.#replacePlace(key, this.#placeOf(key, old), this.#placeOf(key, next))
    this.#replace(old && signatureKeyOf(key, old), next && signatureKeyOf(key, next))
  }

  #placeOf(key: string, datum: DbDatum | undefined): Place | undefined {
    return datum && placeOf(key, datum, this.#waterMark, this.#sortValueOf)
  }

  #replacePlace(key: string, old: Place | undefined, next: Place | undefined): void {
    if (old !== undefined && next !== undefined && isSamePlace(old, next)) return
    const [oldKey, nextKey] = [old && indexKeyOf(key, old), next && indexKeyOf(key, next)]
    this.#replace(oldKey, nextKey)
    if (old?.bucket !== undefined) this.#heads.removed(key, oldKey as string) // `old` has a key
    if (next?.bucket !== undefined) this.#heads.added(key, next.bucket)
  }

  #replace(old: string | undefined, next: string | undefined): void {
    if (old === next) return
    if (old !== undefined) this.#batch.delete(old)
    if (next !== undefined) this.#batch.put(next, presence)
  }

  #count(status: DbStatus, delta: number): void {
    this.#statusDeltas.set(status, (this.#statusDeltas.get(status) ?? 0) + delta)
  }
}
