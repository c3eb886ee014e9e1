import { createHash } from 'node:crypto'
import { CrawlError } from '../errors/crawl-error.js'
import { isJsonObject } from '../record/line-format.js'
import type { Change, Level } from './level-store.js'
import type { KeyOrder } from './update.js'

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
  /** In which its merge goes through the keys. @defaultValue 'ascending', as builds had it that did not say */
  readonly order?: KeyOrder
}

export interface StartedJob extends JobRecord {
  /** Last key done before the job was killed, in its order; undefined for a new job or if none was. */
  readonly mark: string | undefined
  readonly isResumed: boolean
}

const jobKey = '!job!current'
const markKey = '!job!mark'
const appliedPrefix = '!applied!'
export const ledgerPrefixes: readonly string[] = ['!job!', appliedPrefix]
/** Where the ledger stands in a database: the job under way, and what was applied. */
export const ledgerRange = [
  { gte: '!job!', lt: '!job"', isJob: true },
  { gte: appliedPrefix, lt: '!applied"', isJob: false },
] as const

/** The jobs of one database: at most one under way, and for ever which inputs were applied. */
export class JobLedger {
  readonly #level: Level
  readonly #order: KeyOrder

  /** @param order in which merges of this database go through the keys */
  constructor(level: Level, order: KeyOrder = 'ascending') {
    this.#level = level
    this.#order = order
  }

  /** The job that was begun and not ended, if there is one. */
  async pending(): Promise<JobRecord | undefined> {
    const bytes = await this.#level.get(jobKey)
    return bytes === undefined ? undefined : readEntry<JobRecord>(bytes, 'the job under way')
  }

  /** The pending job if it is this one, else a new one, which is not in the db until `enter`.
   *  @throws {CrawlError} JOB_UNFINISHED if another job is pending, JOB_INPUT_CHANGED if this one reads something else than it did */
  async begin(job: Omit<JobRecord, 'id' | 'order'>): Promise<StartedJob> {
    const pending = await this.pending()
    if (pending !== undefined) {
      refuseUnlessSame(pending, job)
      return { ...pending, mark: (await this.#level.get(markKey))?.toString(), isResumed: true }
    }
    const id = createHash('sha256').update(JSON.stringify(job)).digest('hex').slice(0, 16)
    return { id, ...job, order: this.#order, mark: undefined, isResumed: false }
  }

  /** The change that puts a new job's record on disk, none for a resumed job: must be synced before its first batch. */
  enterChanges({ mark: _, isResumed, ...record }: StartedJob): Change[] {
    return isResumed ? [] : [{ key: jobKey, value: toBytes(record) }]
  }

  /** Whether the mark of a job stands there without the job: what said how far it came must not be taken for the next one's. */
  async hasStrayMark(): Promise<boolean> {
    const [job, mark] = await this.#level.getMany([jobKey, markKey])
    return job === undefined && mark !== undefined
  }

  /** What in the ledger does not read or contradicts itself, in words. */
  async faults(): Promise<string[]> {
    const faults = (await this.hasStrayMark()) ? ['the mark of a job stands there without the job'] : []
    for await (const [key, value] of this.#level.iterator({ gte: appliedPrefix, lt: `${appliedPrefix.slice(0, -1)}"` })) {
      if (!isReadable(value)) faults.push(`the entry of ${key.slice(appliedPrefix.length)} does not read`)
    }
    const job = await this.#level.get(jobKey)
    if (job !== undefined && !isReadable(job)) faults.push('the job under way does not read')
    return faults
  }

  /** The change that moves the mark; to be part of the batch whose keys it covers. */
  markChange(key: string): Change {
    return { key: markKey, value: Buffer.from(key) }
  }

  /** The changes that end the job and enter `applied` into the ledger. The entry holds nothing that depends on how long a fetch took. */
  endChanges(job: JobRecord, applied: readonly string[] = []): Change[] {
    const entry = toBytes({ kind: job.kind, timeMs: job.timeMs })
    return [{ key: jobKey }, { key: markKey }, ...applied.map(name => ({ key: appliedPrefix + name, value: entry }))]
  }

  /** When `name` was applied, epoch ms, or undefined if it was not. */
  async appliedAtMs(name: string): Promise<number | undefined> {
    const bytes = await this.#level.get(appliedPrefix + name)
    return bytes === undefined ? undefined : readEntry<{ timeMs: number }>(bytes, `the entry of ${name}`).timeMs
  }

  /** Names applied, in order of name. */
  async applied(): Promise<string[]> {
    const keys = await this.#level.keys({ gte: appliedPrefix, lt: '!applied"' }).all()
    return keys.map(key => key.slice(appliedPrefix.length))
  }
}

/** The way out for a job whose input or options nobody can give again. */
const orLetGo = 'or let go of it: millrace doctor --repair'

function refuseUnlessSame(pending: JobRecord, job: Omit<JobRecord, 'id' | 'order'>): void {
  if (pending.kind !== job.kind || namesOf(pending) !== namesOf(job)) {
    const what = `${pending.kind} of ${namesOf(pending) || 'the db'}`
    throw new CrawlError(
      'JOB_UNFINISHED',
      `${what}, begun ${new Date(pending.timeMs).toISOString()}, was not finished: run it again first, ${orLetGo}`,
    )
  }
  const changed = pending.inputs.filter((input, index) => input.digest !== job.inputs[index]?.digest).map(input => input.name)
  if (changed.length > 0)
    throw new CrawlError(
      'JOB_INPUT_CHANGED',
      `${pending.kind} cannot go on: changed since it began: ${changed.join(', ')}: put that back and run it again, ${orLetGo}`,
    )
  if (pending.configHash !== job.configHash) {
    throw new CrawlError(
      'JOB_INPUT_CHANGED',
      `${pending.kind} cannot go on: it was begun with other options; run it with those, then again, ${orLetGo}`,
    )
  }
}

function namesOf(job: Pick<JobRecord, 'inputs'>): string {
  return job.inputs.map(input => input.name).join(' ')
}

function toBytes(value: object): Buffer {
  return Buffer.from(JSON.stringify(value))
}

/** Whether changes hold an entry of the ledger that lasts, not only a job that comes and goes. */
export function entersLedger(changes: readonly Change[]): boolean {
  return changes.some(({ key }) => key.startsWith(appliedPrefix))
}

/** An entry that this class wrote. @throws {CrawlError} DB_DAMAGED */
function readEntry<T extends object>(bytes: Buffer, what: string): T {
  if (!isReadable(bytes)) throw new CrawlError('DB_DAMAGED', `${what} in the ledger does not read`)
  return JSON.parse(bytes.toString()) as T // written from a value of this type
}

function isReadable(bytes: Buffer): boolean {
  try {
    return isJsonObject(JSON.parse(bytes.toString()))
  } catch {
    return false
  }
}
