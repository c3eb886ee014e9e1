import type { Bench } from './bench.js'

/** What the project wants of a figure at full size. */
export interface Target {
  readonly atLeast?: number
  readonly atMost?: number
}

/** One number that a measure gives in one round. */
export interface Figure {
  /** Within its measure; the same in every round. */
  readonly name: string
  readonly value: number
  /** `pages/s`, `s`, `MB`, `×`, … */
  readonly unit: string
  readonly target?: Target
  /** Peak resident memory of the process that was measured. */
  readonly peakBytes?: number
  /** User and system time of that process. */
  readonly cpuMs?: number
  /** What else was seen, to judge the figure by. */
  readonly notes?: Readonly<Record<string, number | string>>
}

/** Something that is measured, several times. */
export interface Measure {
  /** As `--only` takes it. */
  readonly name: string
  /** What is measured, with its sizes. */
  title(bench: Bench): string
  /** Measures once. @throws {Skipped} where this machine lacks what it needs */
  round(bench: Bench): Promise<readonly Figure[]>
}

/** A measure cannot be made here; the message says why. */
export class Skipped extends Error {
  override readonly name = 'Skipped'
}

/** Without a target where sizes are smaller than those it was set for. */
export function figure({ sizes }: Pick<Bench, 'sizes'>, { target, ...rest }: Figure): Figure {
  return sizes.isFull && target !== undefined ? { ...rest, target } : rest
}
