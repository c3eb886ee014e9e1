import { tokensOf } from './text-profile.js'

const hashBits = 64
const shingleTokens = 3

/**
 * SimHash of 64 bits (Charikar 2002; Manku, Jain and Das Sarma 2007) over runs of three words: texts that share most of them differ in few
 * bits. Big-endian bytes. The empty text has all bits clear.
 */
export function simHash(text: string): Uint8Array {
  const sums = new Int32Array(hashBits)
  const window: string[] = []
  let count = 0
  for (const token of tokensOf(text)) {
    window.push(token)
    if (window.length > shingleTokens) window.shift()
    if (window.length === shingleTokens) addShingle(sums, window.join(' '))
    count++
  }
  if (count > 0 && count < shingleTokens) addShingle(sums, window.join(' '))
  const bytes = new Uint8Array(hashBits / 8)
  for (let bit = 0; bit < hashBits; bit++) if ((sums[bit] as number) > 0) bytes[bit >> 3] = (bytes[bit >> 3] as number) | (0x80 >> (bit & 7))
  return bytes
}

/** Bits in which two SimHashes differ. */
export function hammingDistance(a: Uint8Array, b: Uint8Array): number {
  let distance = Math.abs(a.length - b.length) * 8
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    for (let rest = (a[index] as number) ^ (b[index] as number); rest !== 0; rest &= rest - 1) distance++
  }
  return distance
}

function addShingle(sums: Int32Array, shingle: string): void {
  const [high, low] = hash64(shingle)
  for (let bit = 0; bit < 32; bit++) {
    sums[bit] = (sums[bit] as number) + ((high >>> (31 - bit)) & 1) * 2 - 1
    sums[bit + 32] = (sums[bit + 32] as number) + ((low >>> (31 - bit)) & 1) * 2 - 1
  }
}

/** Two halves of a 64-bit hash: two FNV-1a runs with different offsets, each finished as in MurmurHash3 so that all bits depend on all units. */
function hash64(text: string): readonly [high: number, low: number] {
  let high = 0x811c9dc5
  let low = 0x01000193
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    high = Math.imul(high ^ unit, 0x01000193)
    low = Math.imul(low ^ unit, 0x85ebca6b)
  }
  return [finish(high), finish(low ^ 0x5bd1e995)]
}

function finish(hash: number): number {
  let mixed = hash ^ (hash >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
