import { randomInt } from 'node:crypto'

/**
 * Numbers URLs in the order in which they are added, in 16 to 32 bytes each: 64-bit hashes with a seed of its own, in an open table. It answers
 * wrongly with a chance of n / 2^64 for each question: for a million URLs and a million questions one run in 18 million.
 */
export class UrlSet {
  readonly #seed = randomInt(2 ** 32)
  /** High half, low half, number: three words a place. */
  #table = new Uint32Array(3 * 1024)
  #size = 0
  #high = 0
  #low = 0

  get size(): number {
    return this.#size
  }

  /** @returns whether the URL is new */
  add(url: string): boolean {
    const places = this.#table.length / 3
    if ((this.#size + 1) * 4 > places * 3) this.#grow()
    this.#hash(url)
    const place = placeOf(this.#table, this.#high, this.#low)
    if (!isFree(this.#table, place)) return false
    put(this.#table, place, this.#high, this.#low, this.#size++)
    return true
  }

  has(url: string): boolean {
    return this.numberOf(url) !== undefined
  }

  /** How many URLs were added before this one; undefined if it was not added. */
  numberOf(url: string): number | undefined {
    this.#hash(url)
    const place = placeOf(this.#table, this.#high, this.#low)
    return isFree(this.#table, place) ? undefined : this.#table[place + 2]
  }

  #grow(): void {
    const old = this.#table
    const table = new Uint32Array(old.length * 2)
    for (let place = 0; place < old.length; place += 3) {
      if (isFree(old, place)) continue
      const [high = 0, low = 0, number = 0] = [old[place], old[place + 1], old[place + 2]]
      put(table, placeOf(table, high, low), high, low, number)
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

/** Where a hash stands, or the free place where it belongs. */
function placeOf(table: Uint32Array, high: number, low: number): number {
  const places = table.length / 3
  for (let slot = low % places; ; slot = (slot + 1) % places) {
    const place = slot * 3
    if (isFree(table, place) || (table[place] === high && table[place + 1] === low)) return place
  }
}

function isFree(table: Uint32Array, place: number): boolean {
  return table[place] === 0 && table[place + 1] === 0
}

function put(table: Uint32Array, place: number, high: number, low: number, number: number): void {
  table[place] = high
  table[place + 1] = low
  table[place + 2] = number
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
