import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { type Level, openLevel, presence } from '../../lib/store/level-store.js'
import { readStretches, type Stretch } from '../../lib/store/read-stretches.js'
import { useTempFolders } from '../support/temp-folder.js'

const keyOf = (number: number): string => `k${String(number).padStart(6, '0')}`
/** Every third number up to 30,000 stands there. */
const there = Array.from({ length: 10_000 }, (_, index) => keyOf(index * 3))

describe('readStretches', () => {
  const newFolder = useTempFolders()
  let level: Level

  before(async () => {
    level = await openLevel(join(newFolder(), 'level'), { isCreating: true })
    const batch = level.batch()
    for (const key of there) batch.put(key, presence)
    await batch.write()
  })
  after(() => level.close())

  async function expectRead(stretches: readonly Stretch[]): Promise<void> {
    const expected = stretches.map(({ gt, lt, limit }) => there.filter(key => key > gt && key < lt).slice(0, limit))
    expect(await readStretches(level, stretches)).to.deep.equal(expected)
  }

  for (const { what, count, first, step, width, limit } of [
    { what: 'nothing', count: 0, first: 0, step: 1, width: 1, limit: 1 },
    { what: 'one stretch of all', count: 1, first: -1, step: 1, width: 40_000, limit: 20_000 },
    { what: 'the first of one stretch of all', count: 1, first: 5000, step: 1, width: 40_000, limit: 3 },
    { what: 'stretches side by side', count: 900, first: 0, step: 30, width: 30, limit: 4 },
    { what: 'stretches side by side, whole', count: 900, first: 0, step: 30, width: 30, limit: 100 },
    { what: 'stretches far apart', count: 30, first: 1, step: 1000, width: 30, limit: 4 },
    { what: 'stretches in which nothing stands', count: 300, first: 0, step: 90, width: 2, limit: 4 },
    { what: 'stretches behind all others', count: 40, first: 40_000, step: 10, width: 10, limit: 4 },
    { what: 'stretches of which the last are behind all others', count: 400, first: 28_000, step: 10, width: 10, limit: 2 },
    { what: 'none of any stretch', count: 40, first: 0, step: 30, width: 30, limit: 0 },
  ])
    it(`gives ${what} as an iterator for each does`, () =>
      expectRead(
        Array.from({ length: count }, (_, index) => {
          const start = first + index * step
          return { gt: keyOf(Math.max(start, 0)), lt: keyOf(start + width), limit }
        }),
      ))

  it('gives what an iterator for each gives, whatever stretches ascend and do not overlap', async () => {
    const stretch = fc.record({ gap: fc.nat(200), width: fc.oneof(fc.nat(40), fc.nat(3000)), limit: fc.nat(60) })
    await fc.assert(
      fc.asyncProperty(fc.array(stretch, { maxLength: 120 }), async steps => {
        let end = 0
        const stretches = steps.map(({ gap, width, limit }) => {
          const start = end + gap
          end = start + width
          return { gt: keyOf(start), lt: keyOf(end), limit }
        })
        await expectRead(stretches)
      }),
      { numRuns: 100 },
    )
  })
})
