import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { type Level, openLevel } from '../../lib/store/level-store.js'
import { readSorted } from '../../lib/store/read-sorted.js'
import { useTempFolders } from '../support/temp-folder.js'

const prefix = '!datum!'
const keyOf = (number: number): string => `k${String(number).padStart(6, '0')}`

describe('readSorted', () => {
  const newFolder = useTempFolders()
  let level: Level

  /** Every third number up to 30,000 stands there, and neighbours of the table. */
  before(async () => {
    level = await openLevel(join(newFolder(), 'level'), { isCreating: true })
    const batch = level.batch().put('!datul!k000003', Buffer.from('before')).put('!datun!k000003', Buffer.from('after'))
    for (let number = 0; number < 30_000; number += 3) batch.put(prefix + keyOf(number), Buffer.from(String(number)))
    await batch.write()
  })
  after(() => level.close())

  async function expectRead(numbers: readonly number[]): Promise<void> {
    const values = await readSorted(level, prefix, numbers.map(keyOf))
    expect(values.map(value => value?.toString())).to.deep.equal(
      numbers.map(number => (number < 30_000 && number % 3 === 0 ? String(number) : undefined)),
    )
  }

  for (const { what, first, step, count } of [
    { what: 'no key', first: 0, step: 1, count: 0 },
    { what: 'a few keys', first: 0, step: 1, count: 5 },
    { what: 'every key between the first and the last', first: 1, step: 1, count: 2000 },
    { what: 'only keys that are there', first: 0, step: 3, count: 500 },
    { what: 'only keys that are not there', first: 1, step: 3, count: 500 },
    { what: 'keys far apart', first: 0, step: 99, count: 300 },
    { what: 'keys behind all others', first: 40_000, step: 1, count: 200 },
    { what: 'keys of which the last are behind all others', first: 29_900, step: 1, count: 400 },
  ])
    it(`gives ${what} as asking for each does`, () => expectRead(Array.from({ length: count }, (_, index) => first + index * step)))

  it('reads on key by key where keys stand close at first and far apart then', () =>
    expectRead([...Array.from({ length: 300 }, (_, index) => index), ...Array.from({ length: 300 }, (_, index) => 1000 + index * 90)]))

  for (const step of [1, 3, 6, 15, 30, 150])
    it(`fails where a block does not read, also one that it has passed over: every ${step === 1 ? '' : `${step}th `}key`, async () => {
      const location = join(newFolder(), 'damaged')
      const whole = await openLevel(location, { isCreating: true })
      const batch = whole.batch()
      for (let number = 0; number < 30_000; number += 3)
        batch.put(prefix + keyOf(number), Buffer.from(`record ${number * 7919} of a table whose blocks are packed`))
      await batch.write()
      await whole.compactRange('!', '"')
      await whole.close()
      const [table = 'none'] = readdirSync(location).filter(name => name.endsWith('.ldb'))
      const bytes = readFileSync(join(location, table))
      const middle = Math.floor(bytes.length / 2)
      bytes.fill(0, middle, middle + 8_000)
      writeFileSync(join(location, table), bytes)
      const damaged = await openLevel(location, { isCreating: false })
      try {
        const keys = Array.from({ length: 30_000 / step }, (_, index) => keyOf(index * step))
        const read = await readSorted(damaged, prefix, keys).catch(error => String(error))
        expect(read).to.match(/corruption/i)
      } finally {
        await damaged.close()
      }
    })

  it('gives any sorted keys as asking for each does', () =>
    fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(33_000), { maxLength: 400 }), numbers => expectRead(numbers.sort((a, b) => a - b))),
      { numRuns: 50 },
    ))
})
