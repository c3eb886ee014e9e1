import { Bench, type BenchOptions } from './bench.js'
import { loadNow, type Machine, thisMachine } from './machine.js'
import { type Figure, type Measure, Skipped, type Target } from './measure.js'

export interface SuiteOptions extends BenchOptions {
  readonly measures: readonly Measure[]
  readonly rounds: number
}

/** A whole run, as it is kept in JSON. */
export interface Report {
  readonly startedAt: string
  readonly machine: Machine
  readonly sizes: 'full' | 'reduced'
  readonly rounds: number
  readonly measures: readonly MeasureReport[]
}

export interface MeasureReport {
  readonly name: string
  readonly title: string
  readonly figures: readonly FigureReport[]
  /** Why there are no figures: this machine lacks something. */
  readonly skipped?: string
  /** What went wrong. */
  readonly failed?: string
  /** Load averages over 1, 5 and 15 minutes. */
  readonly loadBefore: readonly number[]
  readonly loadAfter: readonly number[]
  readonly elapsedS: number
}

export interface FigureReport {
  readonly name: string
  readonly unit: string
  readonly median: number
  /** The value of each round. */
  readonly rounds: readonly number[]
  readonly target?: Target
  readonly isMet?: boolean
  /** The largest of all rounds. */
  readonly peakBytes?: number
  readonly cpuMs?: number
  /** Of the last round. */
  readonly notes?: Readonly<Record<string, number | string>>
}

/** Runs measures one after the other, each for some rounds. One that fails does not end the others. */
export async function runSuite({ measures, rounds, ...options }: SuiteOptions): Promise<Report> {
  const bench = new Bench(options)
  const startedAt = new Date().toISOString()
  const reports: MeasureReport[] = []
  try {
    for (const measure of measures) reports.push(await runMeasure(bench, measure, rounds))
  } finally {
    await bench.close()
  }
  return { startedAt, machine: thisMachine(), sizes: bench.sizes.isFull ? 'full' : 'reduced', rounds, measures: reports }
}

async function runMeasure(bench: Bench, measure: Measure, rounds: number): Promise<MeasureReport> {
  const [loadBefore, startedMs] = [loadNow(), performance.now()]
  const title = measure.title(bench)
  bench.say(`${measure.name}: ${title}`)
  const seen: (readonly Figure[])[] = []
  let trouble: Pick<MeasureReport, 'skipped' | 'failed'> = {}
  try {
    for (bench.round = 0; bench.round < rounds; bench.round++) {
      const figures = await measure.round(bench)
      seen.push(figures)
      bench.say(`  round ${bench.round + 1}: ${figures.map(({ name, value, unit }) => `${name} ${shortNumber(value)} ${unit}`).join(', ')}`)
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    trouble = error instanceof Skipped ? { skipped: message } : { failed: message }
    bench.say(`  ${error instanceof Skipped ? 'skipped' : 'failed'}: ${message}`)
  }
  const elapsedS = Math.round(performance.now() - startedMs) / 1000
  return { name: measure.name, title, figures: summarize(seen), ...trouble, loadBefore, loadAfter: loadNow(), elapsedS }
}

/** The figures of all rounds by name, in the order of the first. */
export function summarize(rounds: readonly (readonly Figure[])[]): FigureReport[] {
  const byName = new Map<string, Figure[]>()
  for (const figure of rounds.flat()) byName.set(figure.name, [...(byName.get(figure.name) ?? []), figure])
  return [...byName].map(([name, figures]) => summarizeFigure(name, figures))
}

function summarizeFigure(name: string, figures: readonly Figure[]): FigureReport {
  const last = figures.at(-1)
  const values = figures.map(({ value }) => value)
  const middle = median(values)
  const peaks = figures.flatMap(({ peakBytes }) => peakBytes ?? [])
  const times = figures.flatMap(({ cpuMs }) => cpuMs ?? [])
  const target = last?.target
  return {
    name,
    unit: last?.unit ?? '',
    median: middle,
    rounds: values,
    ...(target === undefined ? {} : { target, isMet: meets(middle, target) }),
    ...(peaks.length === 0 ? {} : { peakBytes: Math.max(...peaks) }),
    ...(times.length === 0 ? {} : { cpuMs: median(times) }),
    ...(last?.notes === undefined ? {} : { notes: last.notes }),
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2
}

function meets(value: number, { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY }: Target): boolean {
  return value >= atLeast && value <= atMost
}

/** Three digits that count, whole from 100 on. */
export function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)))
}
