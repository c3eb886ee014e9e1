import { randomInt } from 'node:crypto'

/**
 * A set of URLs in 8 bytes each (11 to 22 with the free places): 64-bit hashes with a seed of its own, in an open table. It answers
 * wrongly with a chance of n / 2^64 for each question: for a million URLs and a million questions one run in 18 million.
 */
export class UrlSet {
  readonly #seed = randomInt(2 ** 32)
  #table = new Uint32Array(2 * 1024)
  #size = 0
  #high = 0
  #low = 0

  get size(): number {
    return this.#size
  }

  /** @returns whether the URL is new */
  add(url: string): boolean {
    if ((this.#size + 1) * 4 > (this.#table.length / 2) * 3) this.#grow()
    this.#hash(url)
    return this.#insert(this.#table, this.#high, this.#low)
  }

  has(url: string): boolean {
    this.#hash(url)
    return this.#placeOf(this.#table, this.#high, this.#low) < 0
  }

  #insert(table: Uint32Array, high: number, low: number): boolean {
    const place = this.#placeOf(table, high, low)
    if (place < 0) return false
    table[place] = high
    table[place + 1] = low
    this.#size++
    return true
  }

  /** The free place for a hash, or a negative number if it is in the table. */
  #placeOf(table: Uint32Array, high: number, low: number): number {
    const mask = table.length / 2 - 1
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const place = slot * 2
      if (table[place] === high && table[place + 1] === low) return -1
      if (table[place] === 0 && table[place + 1] === 0) return place
    }
  }

  #grow(): void {
    const old = this.#table
    const table = new Uint32Array(old.length * 2)
    this.#size = 0
    for (let place = 0; place < old.length; place += 2) {
      const [high = 0, low = 0] = [old[place], old[place + 1]]
      if (high !== 0 || low !== 0) this.#insert(table, high, low)
    }
    this.#table = table
  }

  /** Two 32-bit lanes of multiply and rotate over the code units, mixed at the end as in MurmurHash3; both zero means a free place. */
  #hash(url: string): void {
    let a = this.#seed ^ 0x9e3779b9
    let b = ~this.#seed
    for (let index = 0; index < url.length; index++) {
      const unit = url.charCodeAt(index)
      a = Math.imul(a ^ unit, 0x85ebca6b)
      a = (a << 13) | (a >>> 19)
      b = Math.imul(b ^ unit, 0xc2b2ae35)
      b = (b << 17) | (b >>> 15)
    }
    a = mix(a ^ url.length)
    b = mix(b ^ a)
    this.#high = (a ^ Math.imul(b, 0x27d4eb2f)) >>> 0
    this.#low = b >>> 0
    if (this.#high === 0 && this.#low === 0) this.#low = 1
  }
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
