import { createHash } from 'node:crypto'
import { CrawlError } from '../errors/crawl-error.js'
import { type Change, type Level, writeChanges } from './level-store.js'

/** What a job reads: a segment, a seed file, … with a digest that changes when it does. */
export interface JobInput {
  readonly name: string
  readonly digest: string
}

/** A job as it stands in the db from before its first batch until its last. */
export interface JobRecord {
  readonly id: string
  readonly kind: string
  /** The job's time, epoch ms: a resumed job goes on with it. */
  readonly timeMs: number
  /** Hash of the options that its result depends on. */
  readonly configHash: string
  readonly inputs: readonly JobInput[]
}

export interface StartedJob extends JobRecord {
  /** Last key done before the job was killed; undefined for a new job or if none was. */
  readonly mark: string | undefined
  readonly isResumed: boolean
}

const jobKey = '!job!current'
const markKey = '!job!mark'
const appliedPrefix = '!applied!'

/** The jobs of one database: at most one under way, and for ever which inputs were applied. */
export class JobLedger {
  readonly #level: Level
  constructor(level: Level) {
    this.#level = level
  }

  /** The job that was begun and not ended, if there is one. */
  async pending(): Promise<JobRecord | undefined> {
    const bytes = await this.#level.get(jobKey)
    return bytes === undefined ? undefined : (JSON.parse(bytes.toString()) as JobRecord) // this class wrote it
  }

  /** The pending job if it is this one, else a new one, which is not in the db until `enter`.
   *  @throws {CrawlError} JOB_UNFINISHED if another job is pending, JOB_INPUT_CHANGED if this one reads something else than it did */
  async begin(job: Omit<JobRecord, 'id'>): Promise<StartedJob> {
    const pending = await this.pending()
    if (pending !== undefined) {
      refuseUnlessSame(pending, job)
      return { ...pending, mark: (await this.#level.get(markKey))?.toString(), isResumed: true }
    }
    const id = createHash('sha256').update(JSON.stringify(job)).digest('hex').slice(0, 16)
    return { id, ...job, mark: undefined, isResumed: false }
  }

  /** Puts a new job's record on disk: must precede its first batch. */
  async enter({ mark: _, isResumed, ...record }: StartedJob): Promise<void> {
    if (!isResumed) await writeChanges(this.#level, [{ key: jobKey, value: toBytes(record) }], true)
  }

  /** The change that moves the mark; to be part of the batch whose keys it covers. */
  markChange(key: string): Change {
    return { key: markKey, value: Buffer.from(key) }
  }

  /** The changes that end the job and enter `applied` into the ledger. */
  endChanges(job: JobRecord, applied: readonly string[] = []): Change[] {
    const entry = toBytes({ job: job.id, kind: job.kind, timeMs: job.timeMs })
    return [{ key: jobKey }, { key: markKey }, ...applied.map(name => ({ key: appliedPrefix + name, value: entry }))]
  }

  /** When `name` was applied, epoch ms, or undefined if it was not. */
  async appliedAtMs(name: string): Promise<number | undefined> {
    const bytes = await this.#level.get(appliedPrefix + name)
    return bytes === undefined ? undefined : (JSON.parse(bytes.toString()) as { timeMs: number }).timeMs // this class wrote it
  }

  /** Names applied, in order of name. */
  async applied(): Promise<string[]> {
    const keys = await this.#level.keys({ gte: appliedPrefix, lt: '!applied"' }).all()
    return keys.map(key => key.slice(appliedPrefix.length))
  }
}

function refuseUnlessSame(pending: JobRecord, job: Omit<JobRecord, 'id'>): void {
  if (pending.kind !== job.kind || namesOf(pending) !== namesOf(job)) {
    const what = `${pending.kind} of ${namesOf(pending) || 'the db'}`
    throw new CrawlError('JOB_UNFINISHED', `${what}, begun ${new Date(pending.timeMs).toISOString()}, was not finished: run it again first`)
  }
  const changed = pending.inputs.filter((input, index) => input.digest !== job.inputs[index]?.digest).map(input => input.name)
  if (changed.length > 0) throw new CrawlError('JOB_INPUT_CHANGED', `${pending.kind} cannot go on: changed since it began: ${changed.join(', ')}`)
  if (pending.configHash !== job.configHash) {
    throw new CrawlError('JOB_INPUT_CHANGED', `${pending.kind} cannot go on: it was begun with other options; run it with those, then again`)
  }
}

function namesOf(job: Pick<JobRecord, 'inputs'>): string {
  return job.inputs.map(input => input.name).join(' ')
}

function toBytes(value: object): Buffer {
  return Buffer.from(JSON.stringify(value))
}
