/** A page in a cluster of pages whose SimHashes lie close together. */
export interface NearDuplicate<Page> {
  readonly page: Page
  /** Bits in which its SimHash differs from that of the cluster's first page. */
  readonly distance: number
}

/** A page and its SimHash of 64 bits, as 8 bytes. */
export interface Fingerprinted<Page> {
  readonly page: Page
  readonly simHash: Uint8Array
}

const hashBits = 64
const maxDistance = 15

/**
 * Clusters of pages that near duplicates connect: two pages with SimHashes at most `distance` bits apart are in one cluster. Clusters of two
 * and more only, the largest first, of equals the one that begins earlier; pages in the order given.
 *
 * The 64 bits are cut into `distance` + 1 parts: of two hashes that near, at least one part is the same (Manku, Jain and Das Sarma 2007, with
 * tables held in memory). Only pages that share a part are compared, and where many do, the other bits are cut again in the same way; groups
 * that are one cluster already are passed over. Memory: some 60 bytes a page.
 * @param distance 0…15
 * @throws {RangeError} if the distance is none of these, or a hash has not 8 bytes
 */
export function nearDuplicates<Page>(pages: readonly Fingerprinted<Page>[], distance: number): NearDuplicate<Page>[][] {
  if (!(Number.isInteger(distance) && distance >= 0 && distance <= maxDistance))
    throw new RangeError(`distance ${distance} is not within 0…${maxDistance}`)
  const hashes = distinctHashes(pages)
  const sets = new DisjointSets(hashes.count)
  const everyBit = Array.from({ length: hashBits }, (_, bit) => bit)
  if (distance > 0) joinWithin(numbersTo(hashes.count), everyBit, { hashes, distance, sets })
  return clustersOf(pages, hashes, sets)
}

interface Search {
  readonly hashes: Hashes
  readonly distance: number
  readonly sets: DisjointSets
}

/** Distinct hashes as two halves, and for each page which of them it has. */
interface Hashes {
  readonly count: number
  readonly high: Uint32Array
  readonly low: Uint32Array
  readonly ofPage: Uint32Array
}

function distinctHashes(pages: readonly Fingerprinted<unknown>[]): Hashes {
  const high = new Uint32Array(pages.length)
  const low = new Uint32Array(pages.length)
  const ofPage = new Uint32Array(pages.length)
  const newest = new Map<number, number>()
  const older = new Int32Array(pages.length)
  let count = 0
  for (const [index, { simHash }] of pages.entries()) {
    if (simHash.length !== hashBits / 8) throw new RangeError(`a SimHash has 8 bytes, not ${simHash.length}`)
    const view = new DataView(simHash.buffer, simHash.byteOffset)
    const [highHalf, lowHalf] = [view.getUint32(0), view.getUint32(4)]
    const first53Bits = highHalf * 2 ** 21 + (lowHalf >>> 11)
    const start = newest.get(first53Bits) ?? -1
    let known = start
    while (known >= 0 && low[known] !== lowHalf) known = older[known] as number
    if (known < 0) {
      known = count++
      high[known] = highHalf
      low[known] = lowHalf
      older[known] = start
      newest.set(first53Bits, known)
    }
    ofPage[index] = known
  }
  return { count, high, low, ofPage }
}

function numbersTo(count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, index) => index)
}

/** Groups of this size and below are compared pair by pair. */
const pairwiseSize = 256

/** Joins what is near among `members`, which differ in `freeBits` at most. */
function joinWithin(members: Uint32Array, freeBits: readonly number[], search: Search): void {
  const parts = search.distance + 1
  for (let part = 0; part < parts; part++) {
    const cut = (nth: number): number => Math.floor((nth * freeBits.length) / parts)
    const shared = freeBits.slice(cut(part), cut(part + 1))
    const others = freeBits.filter(bit => !shared.includes(bit))
    for (const group of groupsSharing(members, shared, search.hashes)) {
      if (group.length <= pairwiseSize || others.length < parts) joinPairs(group, search)
      else if (!search.sets.holdAll(group)) joinWithin(group, others, search)
    }
  }
}

/** Members with the same value in `bits`, two and more. */
function* groupsSharing(members: Uint32Array, bits: readonly number[], { high, low }: Hashes): Generator<Uint32Array> {
  const highMask = maskOf(bits.filter(bit => bit >= 32).map(bit => bit - 32))
  const lowMask = maskOf(bits.filter(bit => bit < 32))
  const newest = new Map<number, number>()
  const older = new Int32Array(members.length)
  for (const [at, member] of members.entries()) {
    const key = (((high[member] as number) & highMask) >>> 0) * 2 ** 32 + (((low[member] as number) & lowMask) >>> 0)
    older[at] = newest.get(key) ?? -1
    newest.set(key, at)
  }
  const group: number[] = []
  for (const last of newest.values()) {
    group.length = 0
    for (let at = last; at >= 0; at = older[at] as number) group.push(members[at] as number)
    if (group.length > 1) yield Uint32Array.from(group)
  }
}

function maskOf(bits: readonly number[]): number {
  return bits.reduce((mask, bit) => mask | (1 << bit), 0)
}

function joinPairs(group: Uint32Array, { hashes, distance, sets }: Search): void {
  for (let a = 0; a < group.length; a++) {
    for (let b = a + 1; b < group.length; b++) {
      const [left, right] = [group[a] as number, group[b] as number]
      if (differingBits(hashes, left, right) <= distance) sets.join(left, right)
    }
  }
}

function differingBits({ high, low }: Hashes, a: number, b: number): number {
  return bitCount((high[a] as number) ^ (high[b] as number)) + bitCount((low[a] as number) ^ (low[b] as number))
}

/** Bits that are set in 32 (Hacker's Delight, 5-1). */
function bitCount(word: number): number {
  let count = word - ((word >>> 1) & 0x55555555)
  count = (count & 0x33333333) + ((count >>> 2) & 0x33333333)
  return Math.imul((count + (count >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** Sets that grow together (union by index, path halving). */
class DisjointSets {
  readonly #parents: Uint32Array
  constructor(count: number) {
    this.#parents = numbersTo(count)
  }
  rootOf(index: number): number {
    let at = index
    while (this.#parents[at] !== at) {
      const above = this.#parents[at] as number
      this.#parents[at] = this.#parents[above] as number
      at = above
    }
    return at
  }
  /** Whether one set holds them all. */
  holdAll(indexes: Uint32Array): boolean {
    const root = this.rootOf(indexes[0] ?? 0)
    return indexes.every(index => this.rootOf(index) === root)
  }
  join(a: number, b: number): void {
    const [rootA, rootB] = [this.rootOf(a), this.rootOf(b)]
    this.#parents[Math.max(rootA, rootB)] = Math.min(rootA, rootB)
  }
}

function clustersOf<Page>(pages: readonly Fingerprinted<Page>[], hashes: Hashes, sets: DisjointSets): NearDuplicate<Page>[][] {
  const clusters = new Map<number, NearDuplicate<Page>[]>()
  for (const [index, { page }] of pages.entries()) {
    const hash = hashes.ofPage[index] as number
    const root = sets.rootOf(hash)
    const cluster = clusters.get(root)
    if (cluster === undefined) clusters.set(root, [{ page, distance: 0 }])
    else cluster.push({ page, distance: differingBits(hashes, root, hash) })
  }
  return [...clusters.values()].filter(cluster => cluster.length > 1).sort((a, b) => b.length - a.length)
}
