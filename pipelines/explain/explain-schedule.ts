import type { Config } from '../../lib/config/options.js'
import { metadataKeys } from '../../lib/record/metadata.js'
import type { DbDatum } from '../../lib/record/records.js'
import type { FetchSchedule, PageChange } from '../../lib/schedule/fetch-schedule.js'
import { withinMaximum } from '../../lib/schedule/within-maximum.js'
import type { LastOutcome } from './last-outcome.js'

/** Why a record is due when it is. */
export interface ScheduleExplanation {
  /** `db.fetch.schedule.class`. */
  readonly className: string
  /** The pattern that gives the interval, and where it stands: schedule by pattern only. */
  readonly intervalRule?: string
  readonly dueMs: number
  readonly isDue: boolean
  readonly intervalS: number
  readonly maxIntervalS: number
  readonly retries: number
  readonly retryMax: number
  /** How the due time comes about, as a sum. */
  readonly arithmetic: string
  /** What a fetch at the due time, or now, would lead to. */
  readonly afterNextFetch: readonly NextSchedule[]
}

export interface NextSchedule {
  readonly change: PageChange
  readonly intervalS: number
  readonly dueMs: number
  /** Set where the interval would be beyond `db.fetch.interval.max`: it is cut, and the page fetched as if it never had been. */
  readonly isForced?: true
}

export interface ScheduleFacts {
  readonly config: Config
  readonly schedule: FetchSchedule
  readonly nowMs: number
  readonly last: LastOutcome | undefined
}

const retryDelayS = 86_400

export function explainSchedule(datum: DbDatum, { config, schedule, nowMs, last }: ScheduleFacts): ScheduleExplanation {
  const isDue = schedule.shouldFetch(datum, nowMs)
  const fetchTimeMs = isDue ? nowMs : datum.fetchTimeMs
  const listed = isDue ? schedule.asDue(datum, nowMs) : datum
  const after = (change: PageChange): NextSchedule => {
    const fetched = schedule.onFetched({
      datum: listed,
      previousModifiedMs: datum.modifiedTimeMs,
      fetchTimeMs,
      modifiedTimeMs: datum.modifiedTimeMs,
      change,
    })
    const next = withinMaximum(schedule, fetched, fetchTimeMs)
    return { change, intervalS: next.fetchIntervalS, dueMs: next.fetchTimeMs, ...(next === fetched ? {} : { isForced: true }) }
  }
  return {
    className: config.schedule.className,
    ...(schedule.intervalRule === undefined ? {} : { intervalRule: schedule.intervalRule(datum) }),
    dueMs: datum.fetchTimeMs,
    isDue,
    intervalS: datum.fetchIntervalS,
    maxIntervalS: schedule.maxIntervalS,
    retries: datum.retries,
    retryMax: config.db.retryMax,
    arithmetic: arithmeticOf(datum, last, nowMs, schedule),
    afterNextFetch: [after('modified'), after('notmodified')],
  }
}

function arithmeticOf(datum: DbDatum, last: LastOutcome | undefined, nowMs: number, schedule: FetchSchedule): string {
  const due = iso(datum.fetchTimeMs)
  if (datum.fetchTimeMs - nowMs > schedule.maxIntervalS * 1000)
    return `${due} is further off than db.fetch.interval.max, ${spanText(schedule.maxIntervalS)}: due now`
  const fetchedMs = last === undefined ? undefined : (last.outcome.fetchTimeMs ?? last.outcome.timing.endMs)
  if (fetchedMs === undefined) return datum.status === 'db_unfetched' && datum.retries === 0 ? `due since it was added, ${due}` : derived(datum)
  const waitS = (datum.fetchTimeMs - fetchedMs) / 1000
  const start = `fetched ${iso(fetchedMs)}`
  if (datum.status === 'db_unfetched' && waitS === retryDelayS) return `${start} + ${spanText(retryDelayS)} after failure ${datum.retries} = ${due}`
  const because = reasonOf(datum)
  if (waitS === datum.fetchIntervalS) return `${start} + interval ${spanText(datum.fetchIntervalS)}${because} = ${due}`
  const shiftS = waitS - datum.fetchIntervalS
  return `${start} + interval ${spanText(datum.fetchIntervalS)}${because} ${shiftS < 0 ? '−' : '+'} ${spanText(Math.abs(shiftS))} = ${due}`
}

function derived(datum: DbDatum): string {
  const lastMs = datum.fetchTimeMs - datum.fetchIntervalS * 1000
  return `${iso(lastMs)} + interval ${spanText(datum.fetchIntervalS)}${reasonOf(datum)} = ${iso(datum.fetchTimeMs)}; its fetch is in no segment here`
}

function reasonOf({ status, metadata }: DbDatum): string {
  if (metadata[metadataKeys.fixedInterval] !== undefined) return ' (fixed by its seed)'
  return status === 'db_gone' || status === 'db_parse_failed' ? ' (grown by half for a failure that stays)' : ''
}

/** Epoch ms as ISO 8601. */
export function iso(timeMs: number): string {
  return Number.isFinite(timeMs) && Math.abs(timeMs) <= 8.64e15 ? new Date(timeMs).toISOString() : `${timeMs} ms`
}

/** Seconds as `2592000 s (30 days)`. */
export function spanText(seconds: number): string {
  const units = [
    [86_400, 'day'],
    [3600, 'hour'],
    [60, 'minute'],
  ] as const
  const unit = units.find(([size]) => seconds >= size)
  if (unit === undefined) return `${seconds} s`
  const count = Math.round((seconds / unit[0]) * 100) / 100
  return `${seconds} s (${count} ${unit[1]}${count === 1 ? '' : 's'})`
}
