import { CrawlError } from '../../errors/crawl-error.js'
import { QuantileDigest } from './quantile-digest.js'

/** Shortest, mean and longest, or earliest, mean and latest. */
export interface Spread {
  readonly min: number
  readonly avg: number
  readonly max: number
}

/** What `readdb --stats` tells of a CrawlDb. */
export interface CrawlDbStats {
  readonly totalUrls: number
  /** Seconds; absent if there is no record. */
  readonly fetchIntervalS?: Spread
  /** Epoch minutes; absent if there is no record. */
  readonly fetchTimeMin?: Spread
  /** Records by retries since the last success. */
  readonly retries: ReadonlyMap<number, number>
  /** Absent if there is no record. */
  readonly score?: Spread & { readonly quantiles: readonly (readonly [quantile: number, score: number])[] }
  /** Records by status code. */
  readonly statuses: ReadonlyMap<number, number>
  /** Records by host, by status code: only where hosts were counted. */
  readonly hostsByStatus: ReadonlyMap<number, ReadonlyMap<string, number>>
}

/** Adds up the fields of records as a scan reads them from their fixed places. A million records take well below a second. */
export class StatsAccumulator {
  readonly #statuses = new Float64Array(256)
  readonly #retries = new Float64Array(256)
  readonly #hosts = new Map<number, Map<string, number>>()
  readonly #scores = new QuantileDigest()
  #total = 0
  #scoreSum = 0
  #minutesSum = 0
  #minMinutes = Number.POSITIVE_INFINITY
  #maxMinutes = Number.NEGATIVE_INFINITY
  #intervalSum = 0
  #minInterval = Number.POSITIVE_INFINITY
  #maxInterval = Number.NEGATIVE_INFINITY

  /** @param statusCode 0…255
   *  @param retries 0…255
   *  @param host counted by status where it is given (`--stats --sort`) */
  add(statusCode: number, fetchTimeMs: number, retries: number, fetchIntervalS: number, score: number, host?: string): void {
    this.#total++
    this.#statuses[statusCode] = (this.#statuses[statusCode] as number) + 1
    this.#retries[retries] = (this.#retries[retries] as number) + 1
    const minutes = Math.floor(fetchTimeMs / 60_000)
    this.#minutesSum += minutes
    if (minutes < this.#minMinutes) this.#minMinutes = minutes
    if (minutes > this.#maxMinutes) this.#maxMinutes = minutes
    this.#intervalSum += fetchIntervalS
    if (fetchIntervalS < this.#minInterval) this.#minInterval = fetchIntervalS
    if (fetchIntervalS > this.#maxInterval) this.#maxInterval = fetchIntervalS
    this.#scoreSum += score
    this.#scores.add(score)
    if (host !== undefined) this.#addHost(statusCode, host)
  }

  #addHost(statusCode: number, host: string): void {
    let hosts = this.#hosts.get(statusCode)
    if (hosts === undefined) {
      hosts = new Map()
      this.#hosts.set(statusCode, hosts)
    }
    hosts.set(host, (hosts.get(host) ?? 0) + 1)
  }

  /** @param quantiles of the score, each within 0…1 */
  result(quantiles: readonly number[] = []): CrawlDbStats {
    const total = this.#total
    const counts = { totalUrls: total, retries: nonZero(this.#retries), statuses: nonZero(this.#statuses), hostsByStatus: this.#hosts }
    if (total === 0) return counts
    return {
      ...counts,
      fetchIntervalS: { min: this.#minInterval, avg: Math.trunc(this.#intervalSum / total), max: this.#maxInterval },
      fetchTimeMin: { min: this.#minMinutes, avg: Math.trunc(this.#minutesSum / total), max: this.#maxMinutes },
      score: {
        min: this.#scores.min,
        avg: this.#scoreSum / total,
        max: this.#scores.max,
        quantiles: quantiles.map(quantile => [quantile, this.#scores.quantile(quantile)]),
      },
    }
  }
}

function nonZero(counts: Float64Array): Map<number, number> {
  const found = new Map<number, number>()
  for (const [index, count] of counts.entries()) if (count > 0) found.set(index, count)
  return found
}

/** Reads `db.stats.score.quantiles`, in ascending order.
 *  @throws {CrawlError} CONFIG_INVALID naming what is no number within 0…1 */
export function parseQuantiles(texts: readonly string[]): number[] {
  const wrong = texts.filter(text => !(Number(text) >= 0 && Number(text) <= 1) || text.trim() === '')
  if (wrong.length > 0) throw new CrawlError('CONFIG_INVALID', `db.stats.score.quantiles: not within 0…1: ${wrong.join(', ')}`)
  return texts.map(Number).sort((a, b) => a - b)
}
