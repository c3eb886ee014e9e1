import type { DbDatum } from '../record/records.js'
import type { DbStatus } from '../record/status.js'
import { type Change, type Level, presence } from '../store/level-store.js'
import type { Merged } from '../store/sorted-merge.js'
import { encodeDatum } from './datum-codec.js'
import type { DbState } from './db-state.js'
import { HeadChanges, type HeadsOfHosts } from './head-changes.js'
import { type Place, placeOf, type SortValueOf, signatureKeyOf, type WaterMark } from './place.js'
import { tables } from './tables.js'

/** A record's index entry on its way from one place to another. */
export interface IndexMove {
  readonly key: string
  readonly from: Place
  readonly to: Place
}

/** The changes of one batch: values, the index entries that follow from them, and the counts. */
export class IndexedChanges {
  readonly #changes: Change[] = []
  readonly #waterMark: WaterMark
  readonly #sortValueOf: SortValueOf
  readonly #heads: HeadChanges
  readonly #statusDeltas = new Map<DbStatus, number>()

  constructor(level: Level, waterMark: WaterMark, sortValueOf: SortValueOf) {
    this.#waterMark = waterMark
    this.#sortValueOf = sortValueOf
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

  /** All changes, once the batch before is written. @param lastHeads what that one left in `heads` */
  async finish(lastHeads: HeadsOfHosts): Promise<{ readonly indexed: readonly Change[]; readonly heads: HeadsOfHosts }> {
    const { changes, heads } = await this.#heads.finish(lastHeads)
    return { indexed: [...this.#changes, ...changes], heads }
  }

  stateAfter(state: DbState): DbState {
    const byStatus: Partial<Record<DbStatus, number>> = { ...state.byStatus }
    for (const [status, delta] of this.#statusDeltas) byStatus[status] = (byStatus[status] ?? 0) + delta
    return { ...state, byStatus, sequence: state.sequence + 1 }
  }

  #add({ key, old, next }: Merged<DbDatum>): void {
    this.#changes.push(next === undefined ? { key: tables.datum + key } : { key: tables.datum + key, value: encodeDatum(key, next) })
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
    if (old?.indexKey === next?.indexKey) return
    this.#replace(old?.indexKey, next?.indexKey)
    if (old?.bucket !== undefined) this.#heads.removed(key, old.bucket, old.indexKey)
    if (next?.bucket !== undefined) this.#heads.added(key, next.bucket)
  }

  #replace(old: string | undefined, next: string | undefined): void {
    if (old === next) return
    if (old !== undefined) this.#changes.push({ key: old })
    if (next !== undefined) this.#changes.push({ key: next, value: presence })
  }

  #count(status: DbStatus, delta: number): void {
    this.#statusDeltas.set(status, (this.#statusDeltas.get(status) ?? 0) + delta)
  }
}
