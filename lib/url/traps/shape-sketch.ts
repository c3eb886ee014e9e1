/**
 * Counts texts in bounded memory (a count-min sketch, Cormode and Muthukrishnan 2005, with conservative update): never too low, too high by
 * `2 / width` of all that was counted, with a chance of `2 ** -depth`.
 */
export class ShapeSketch {
  readonly #counts: Uint32Array
  readonly #depth = 4

  /** @param width counters in each of the four rows, a power of two; 16 bytes each. @defaultValue 65536, a megabyte */
  constructor(readonly width = 65_536) {
    if (!Number.isInteger(Math.log2(width))) throw new RangeError(`width ${width} is no power of two`)
    this.#counts = new Uint32Array(this.#depth * width)
  }

  /** Counts `text` once, and gives how often it was counted. */
  add(text: string): number {
    const places = this.#placesOf(text)
    const count = Math.min(...places.map(place => this.#counts[place] as number)) + 1
    for (const place of places) if ((this.#counts[place] as number) < count) this.#counts[place] = count
    return count
  }

  count(text: string): number {
    return Math.min(...this.#placesOf(text).map(place => this.#counts[place] as number))
  }

  #placesOf(text: string): number[] {
    const first = fnv1a(text, 0x811c9dc5)
    const second = fnv1a(text, 0x9747b28c) | 1
    return Array.from({ length: this.#depth }, (_, row) => row * this.width + ((first + Math.imul(row, second)) & (this.width - 1)))
  }
}

/** FNV-1a over UTF-16 code units, with its bits mixed at the end (the finalizer of MurmurHash3). */
function fnv1a(text: string, seed: number): number {
  let hash = seed
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
