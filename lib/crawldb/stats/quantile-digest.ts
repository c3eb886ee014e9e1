/** The state of a digest as plain numbers, to be stored. */
export interface DigestState {
  readonly min: number
  readonly max: number
  /** Mean and weight of each centroid, in order of means. */
  readonly centroids: readonly (readonly [mean: number, weight: number])[]
}

const bufferedValues = 2048

/**
 * Quantiles of any number of values in bounded memory: a merging t-digest (Dunning and Ertl 2019) with the scale function k₁, exact at
 * the ends and best near them. Depends on the order of the values only within its error.
 */
export class QuantileDigest {
  #means: number[] = []
  #weights: number[] = []
  #merged = 0
  #min = Number.POSITIVE_INFINITY
  #max = Number.NEGATIVE_INFINITY
  readonly #buffer = new Float64Array(bufferedValues)
  #buffered = 0

  /** @param compression about twice the number of centroids that are kept; the rank error near the middle is below 4/compression */
  constructor(private readonly compression = 200) {}

  static from({ min, max, centroids }: DigestState, compression?: number): QuantileDigest {
    const digest = new QuantileDigest(compression)
    digest.#min = min
    digest.#max = max
    digest.#means = centroids.map(([mean]) => mean)
    digest.#weights = centroids.map(([, weight]) => weight)
    digest.#merged = digest.#weights.reduce((sum, weight) => sum + weight, 0)
    return digest
  }

  get count(): number {
    return this.#merged + this.#buffered
  }
  /** Infinity if there is no value. */
  get min(): number {
    return this.#min
  }
  /** -Infinity if there is no value. */
  get max(): number {
    return this.#max
  }

  /** What is not finite is passed over. */
  add(value: number): void {
    if (!Number.isFinite(value)) return
    if (value < this.#min) this.#min = value + 0
    if (value > this.#max) this.#max = value + 0
    this.#buffer[this.#buffered++] = value + 0 // −0 becomes 0, as which it is stored
    if (this.#buffered === bufferedValues) this.#compress()
  }

  /** The value below which a share `quantile` (0…1) of all lies; NaN if there is none. */
  quantile(quantile: number): number {
    this.#compress()
    const count = this.#merged
    if (count === 0) return Number.NaN
    const rank = Math.min(1, Math.max(0, quantile)) * count
    let previousRank = 0
    let previousMean = this.#min
    let before = 0
    for (let index = 0; index < this.#means.length; index++) {
      const mean = this.#means[index] as number
      const weight = this.#weights[index] as number
      const middle = before + weight / 2
      if (rank < middle) return between(rank, previousRank, middle, previousMean, mean)
      before += weight
      previousRank = middle
      previousMean = mean
    }
    return between(rank, previousRank, count, previousMean, this.#max)
  }

  toJSON(): DigestState {
    this.#compress()
    return { min: this.#min, max: this.#max, centroids: this.#means.map((mean, index) => [mean, this.#weights[index] as number]) }
  }

  /** Sorts the buffer into the centroids, and joins neighbours while their weight stays below what the scale function allows there. */
  #compress(): void {
    if (this.#buffered === 0) return
    const values = this.#buffer.subarray(0, this.#buffered).sort()
    const total = this.#merged + this.#buffered
    const means: number[] = []
    const weights: number[] = []
    let done = 0
    let limit = total * this.#shareAt(0)
    let mean = 0
    let weight = 0
    let nextValue = 0
    let nextCentroid = 0
    while (nextValue < values.length || nextCentroid < this.#means.length) {
      const value = nextValue < values.length ? (values[nextValue] as number) : Number.POSITIVE_INFINITY
      const isValue = nextCentroid >= this.#means.length || value <= (this.#means[nextCentroid] as number)
      const taken = isValue ? value : (this.#means[nextCentroid] as number)
      const takenWeight = isValue ? 1 : (this.#weights[nextCentroid] as number)
      if (isValue) nextValue++
      else nextCentroid++
      if (weight > 0 && done + weight + takenWeight > limit) {
        means.push(mean)
        weights.push(weight)
        done += weight
        limit = total * this.#shareAt(done / total)
        weight = 0
      }
      weight += takenWeight
      mean = weight === takenWeight ? taken : mean + ((taken - mean) * takenWeight) / weight
    }
    means.push(mean)
    weights.push(weight)
    this.#means = means
    this.#weights = weights
    this.#merged = total
    this.#buffered = 0
  }

  /** How far a centroid may reach that begins at this share of all values: one step of k₁(q) = δ/2π · asin(2q − 1). */
  #shareAt(share: number): number {
    const step = (2 * Math.PI) / this.compression
    const angle = Math.asin(2 * share - 1) + step
    return angle >= Math.PI / 2 ? 1 : (Math.sin(angle) + 1) / 2
  }
}

function between(rank: number, fromRank: number, toRank: number, from: number, to: number): number {
  return from === to || toRank <= fromRank ? to : from + ((to - from) * (rank - fromRank)) / (toRank - fromRank)
}
