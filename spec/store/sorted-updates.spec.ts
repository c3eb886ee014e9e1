import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { SortedUpdates, type Update, type UpdateGroup } from '../../lib/store/sorted-updates.js'
import type { KeyOrder } from '../../lib/store/update.js'
import { useTempFolders } from '../support/temp-folder.js'

/** The definition: stable by key, grouped. */
function groupsByDefinition(updates: readonly Update[], afterKey?: string, order: KeyOrder = 'ascending'): UpdateGroup[] {
  const isAfter = (key: string): boolean => afterKey === undefined || (order === 'ascending' ? key > afterKey : key < afterKey)
  const groups = new Map<string, string[]>()
  for (const { key, payload } of updates) if (isAfter(key)) groups.set(key, [...(groups.get(key) ?? []), payload])
  const ascending = [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, payloads]) => ({ key, payloads }))
  return order === 'ascending' ? ascending : ascending.reverse()
}

interface Sorting {
  readonly batches: UpdateGroup[][]
  readonly spilledFiles: number
  readonly count: number
}

async function sort(
  updates: readonly Update[],
  folder: string,
  memoryBytes: number,
  keysPerBatch: number,
  perAdd: number,
  afterKey?: string,
  order?: KeyOrder,
): Promise<Sorting> {
  const sorted = new SortedUpdates({ spillFolder: join(folder, 'runs'), memoryBytes, afterKey, order, mostRuns: 3 })
  for (let start = 0; start < updates.length; start += perAdd) await sorted.add(updates.slice(start, start + perAdd))
  const spilledFiles = existsSync(join(folder, 'runs')) ? readdirSync(join(folder, 'runs')).length : 0
  const batches: UpdateGroup[][] = []
  for await (const batch of sorted.batches(keysPerBatch)) batches.push(batch)
  await sorted.dispose()
  return { batches, spilledFiles, count: sorted.count }
}

const updatesArbitrary = fc.array(
  fc.record({
    key: fc.constantFrom('', 'a', 'a\u0001', 'b', 'com\u0002x\u0001http/', 'com\u0002x\u0001http/p', 'z', 'é', '\uffee'),
    payload: fc.string({ unit: 'binary' }).map(cleaned),
  }),
  { maxLength: 60 },
)

/** A payload is text without line ends. */
function cleaned(text: string): string {
  return text.replace(/[\n\ud800-\udfff]/g, '-')
}

describe('SortedUpdates', () => {
  const newFolder = useTempFolders()

  it('gives the same groups whatever the memory, the size of batches, and how updates come', async () => {
    const folder = newFolder()
    await fc.assert(
      fc.asyncProperty(
        updatesArbitrary,
        fc.integer({ min: 0, max: 3000 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 20 }),
        async (updates, memory, perBatch, perAdd) => {
          const { batches, count } = await sort(updates, folder, memory, perBatch, perAdd)
          expect(batches.flat()).to.deep.equal(groupsByDefinition(updates))
          expect(count).to.equal(updates.length)
          for (const batch of batches.slice(0, -1)) expect(batch).to.have.lengthOf(perBatch)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('leaves out keys up to the mark, in either order', async () => {
    const folder = newFolder()
    await fc.assert(
      fc.asyncProperty(
        updatesArbitrary,
        fc.constantFrom('a', 'b', 'com\u0002x\u0001http/', 'y', 'z'),
        fc.constantFrom(0, 1e6),
        fc.constantFrom<KeyOrder>('ascending', 'descending'),
        async (updates, mark, memory, order) => {
          const { batches } = await sort(updates, folder, memory, 2, 7, mark, order)
          expect(batches.flat()).to.deep.equal(groupsByDefinition(updates, mark, order))
        },
      ),
      { numRuns: 30 },
    )
  })

  it('keeps the order of ties across runs that were spilled', async () => {
    const updates = Array.from({ length: 500 }, (_, index) => ({ key: `k${index % 3}`, payload: String(index) }))
    const { batches, spilledFiles } = await sort(updates, newFolder(), 400, 2, 10)
    expect(spilledFiles).to.be.above(5)
    expect(batches.flat()).to.deep.equal(groupsByDefinition(updates))
  })

  it('makes one run of three where three are many, so that the files that are open stay few', async () => {
    const updates = Array.from({ length: 500 }, (_, index) => ({ key: `k${index % 3}`, payload: String(index) }))
    const { spilledFiles } = await sort(updates, newFolder(), 0, 2, 10) // a run for each 10
    expect(spilledFiles).to.equal(16 + 2)
  })

  it('spills nothing while memory lasts, and removes what it spilled', async () => {
    const folder = newFolder()
    const updates = Array.from({ length: 50 }, (_, index) => ({ key: `k${index}`, payload: 'p' }))
    expect((await sort(updates, folder, 1e6, 10, 5)).spilledFiles).to.equal(0)
    expect((await sort(updates, folder, 1000, 10, 5)).spilledFiles).to.be.above(0)
    expect(readdirSync(folder)).to.deep.equal([])
  })

  it('takes an update that is larger than the memory it begins with', async () => {
    const updates = ['b', 'a', 'b'].map((key, index) => ({ key, payload: `${index}é`.repeat(200_000) }))
    expect((await sort(updates, newFolder(), 1e8, 10, 2)).batches.flat()).to.deep.equal(groupsByDefinition(updates))
  })

  it('reads a spilled run of many chunks, with letters beyond ASCII at every place', async () => {
    const updates = Array.from({ length: 4000 }, (_, index) => ({
      key: `k${String(index).padStart(6, '0')}`,
      payload: 'é😀'.repeat(1 + (index % 90)),
    }))
    const { batches, spilledFiles } = await sort(updates, newFolder(), 600_000, 100, 1000)
    expect(spilledFiles).to.be.above(0)
    expect(batches.flat()).to.deep.equal(groupsByDefinition(updates))
  })
})
