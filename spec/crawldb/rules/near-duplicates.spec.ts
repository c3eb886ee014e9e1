import { expect } from 'chai'
import fc from 'fast-check'
import { type Fingerprinted, nearDuplicates } from '../../../lib/crawldb/rules/near-duplicates.js'
import { hammingDistance } from '../../../lib/signature/sim-hash.js'

function hash(value: bigint): Uint8Array {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt.asUintN(64, value))
  return bytes
}
function pagesOf(...values: bigint[]): Fingerprinted<number>[] {
  return values.map((value, page) => ({ page, simHash: hash(value) }))
}

/** The definition, by comparing all pairs. */
function clustersByPairs(pages: readonly Fingerprinted<number>[], distance: number): string[] {
  const cluster = pages.map((_, index) => index)
  for (const [a, left] of pages.entries())
    for (const [b, right] of pages.entries()) {
      if (hammingDistance(left.simHash, right.simHash) > distance) continue
      const [from, to] = [cluster[a] as number, cluster[b] as number]
      for (const [index, of] of cluster.entries()) if (of === Math.max(from, to)) cluster[index] = Math.min(from, to)
    }
  const members = new Map<number, number[]>()
  for (const [index, of] of cluster.entries()) members.set(of, [...(members.get(of) ?? []), index])
  return [...members.values()]
    .filter(of => of.length > 1)
    .map(String)
    .sort()
}
function clusters(pages: readonly Fingerprinted<number>[], distance: number): string[] {
  return nearDuplicates(pages, distance)
    .map(cluster => String(cluster.map(({ page }) => page)))
    .sort()
}

describe('near duplicates', () => {
  it('are joined up to the distance, with their distance from the first', () => {
    expect(nearDuplicates(pagesOf(0n, 0b111n, 0xffff_ffff_0000_0000n, 0b1n), 3)).to.deep.equal([
      [
        { page: 0, distance: 0 },
        { page: 1, distance: 3 },
        { page: 3, distance: 1 },
      ],
    ])
  })
  it('are not joined beyond it', () => expect(nearDuplicates(pagesOf(0n, 0b1111n), 3)).to.deep.equal([]))
  it('are connected by what lies between', () => {
    expect(nearDuplicates(pagesOf(0n, 0b111111n, 0b111n), 3)).to.deep.equal([
      [
        { page: 0, distance: 0 },
        { page: 1, distance: 6 },
        { page: 2, distance: 3 },
      ],
    ])
  })
  it('are equal hashes at distance 0', () => expect(clusters(pagesOf(5n, 6n, 5n), 0)).to.deep.equal(['0,2']))
  it('come largest cluster first', () => {
    const far = 0xffff_ffff_ffff_ffffn
    expect(nearDuplicates(pagesOf(0n, 0n, far, far, far), 3).map(cluster => cluster.map(({ page }) => page))).to.deep.equal([
      [2, 3, 4],
      [0, 1],
    ])
  })
  it('may be none', () => expect(nearDuplicates([], 3)).to.deep.equal([]))
  for (const distance of [-1, 16, 1.5, Number.NaN])
    it(`refuse a distance of ${distance}`, () => expect(() => nearDuplicates([], distance)).to.throw(RangeError))
  it('refuse what is no SimHash', () => expect(() => nearDuplicates([{ page: 0, simHash: new Uint8Array(16) }], 3)).to.throw('8 bytes, not 16'))

  it('are those that comparing all pairs finds', () => {
    const flips = fc.array(fc.integer({ min: 0, max: 63 }), { maxLength: 6 })
    const centre = fc.constantFrom(0n, 0xffff_ffff_ffff_ffffn, 0x0123_4567_89ab_cdefn, 0xaaaa_5555_aaaa_5555n)
    const value = fc.tuple(centre, flips).map(([start, bits]) => bits.reduce((flipped, bit) => flipped ^ (1n << BigInt(bit)), start as bigint))
    fc.assert(
      fc.property(fc.array(value, { maxLength: 40 }), fc.integer({ min: 0, max: 8 }), (values, distance) => {
        const pages = pagesOf(...values)
        expect(clusters(pages, distance)).to.deep.equal(clustersByPairs(pages, distance))
      }),
      { numRuns: 300 },
    )
  })

  it('are found where hundreds share most of their bits, also those that only a further cut brings together', () => {
    const near = Array.from({ length: 1200 }, (_, index) => BigInt(index % 600) * 0x0001_0001_0001n + (BigInt(index) << 52n))
    const pages = pagesOf(...near)
    expect(clusters(pages, 2)).to.deep.equal(clustersByPairs(pages, 2))
  }).timeout(20_000)
})
