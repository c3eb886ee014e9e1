import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import fc from 'fast-check'
import { readLinesBackward } from '../../lib/segment/lines-backward.js'
import { findSortedLines } from '../../lib/segment/part-index.js'
import { eachLine, readLineBatches } from '../../lib/segment/read-lines.js'
import { LineSorter } from '../../lib/segment/sort-lines.js'
import { UrlSet } from '../../lib/segment/url-set.js'
import { withFolder } from './segment-fixtures.js'

/** Lines long enough to cross the reader's chunks, with characters of several bytes. */
const longLines = Array.from({ length: 40 }, (_, index) => `${index} ${'aü€😀'.repeat(index * 700)}`)

async function readAll(path: string, startBytes = 0): Promise<{ line: string; batchBytes: number }[]> {
  const lines: { line: string; batchBytes: number }[] = []
  for await (const { text, offsetBytes } of readLineBatches(path, { startBytes }))
    eachLine(text, line => lines.push({ line, batchBytes: offsetBytes }))
  return lines
}

describe('readLineBatches', () => {
  it('gives whole lines whatever the chunks, plain and packed, and leaves a torn one out', () =>
    withFolder(async folder => {
      const text = `${longLines.join('\n')}\ntorn`
      await writeFile(join(folder, 'plain'), text)
      await writeFile(join(folder, 'packed.gz'), Buffer.concat([gzipSync(text.slice(0, 5000)), gzipSync(text.slice(5000))]))
      for (const name of ['plain', 'packed']) expect((await readAll(join(folder, name))).map(({ line }) => line)).to.deep.equal(longLines)
      expect(await readAll(join(folder, 'none'))).to.deep.equal([])
    }))

  it('gives a line that is longer than a batch, and those beside it', () =>
    withFolder(async folder => {
      const lines = ['before', 'long '.repeat(700_000), 'between', 'longer '.repeat(700_000), 'after']
      const text = `${lines.join('\n')}\n`
      await writeFile(join(folder, 'plain'), text)
      await writeFile(join(folder, 'packed.gz'), gzipSync(text))
      for (const name of ['plain', 'packed']) {
        const read = await readAll(join(folder, name))
        expect(read.map(({ line }) => line)).to.deep.equal(lines)
        expect(read.at(-1)?.batchBytes).to.be.above(0)
      }
    }))

  it('begins where it is told to', () =>
    withFolder(async folder => {
      const text = `${longLines.join('\n')}\n`
      await writeFile(join(folder, 'plain'), text)
      await writeFile(join(folder, 'packed.gz'), gzipSync(text))
      const startBytes = Buffer.byteLength(`${longLines.slice(0, 30).join('\n')}\n`)
      for (const name of ['plain', 'packed']) {
        const lines = await readAll(join(folder, name), startBytes)
        expect(lines.map(({ line }) => line)).to.deep.equal(longLines.slice(30))
        expect(lines[0]?.batchBytes).to.equal(startBytes)
      }
    }))
})

describe('readLinesBackward', () => {
  it('gives the lines of any file from the last to the first, each with its place', () =>
    withFolder(async folder => {
      const path = join(folder, 'file')
      const line = fc.oneof(
        { weight: 9, arbitrary: fc.string({ unit: 'grapheme' }) },
        { weight: 1, arbitrary: fc.nat(200_000).map(length => 'x'.repeat(length)) },
      )
      await fc.assert(
        fc.asyncProperty(
          fc.array(line.map(text => text.replace(/\n/g, ' '))),
          fc.constantFrom('', 'torn', 'torn'.repeat(50_000)),
          async (lines, torn) => {
            const text = lines.map(each => `${each}\n`).join('') + torn
            await writeFile(path, text)
            const bytes = Buffer.from(text)
            const read: string[] = []
            for await (const placed of readLinesBackward(path)) {
              read.push(placed.text)
              expect(bytes.toString('utf8', placed.offsetBytes, placed.endBytes)).to.equal(`${placed.text}\n`)
            }
            expect(read.reverse()).to.deep.equal(lines)
          },
        ),
        { numRuns: 60 },
      )
    }))
})

describe('LineSorter', () => {
  it('gives every line once, sorted, however much it may hold in memory and whoever adds at once, and leaves no run behind', () =>
    withFolder(async folder => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.stringMatching(/^[a-c]{1,4}$/), { maxLength: 200 }),
          fc.integer({ min: 1, max: 400 }),
          fc.integer({ min: 1, max: 3 }),
          async (lines, runChars, callers) => {
            const sorter = new LineSorter(join(folder, 'sort'), { runChars })
            const addFrom = async (first: number): Promise<void> => {
              for (let index = first; index < lines.length; index += callers) await sorter.add(lines[index] as string)
            }
            await Promise.all(Array.from({ length: callers }, (_, caller) => addFrom(caller)))
            const sorted: string[] = []
            for await (const batch of sorter.sorted()) sorted.push(...batch)
            expect(sorted).to.deep.equal([...new Set(lines)].sort())
            expect(await readdir(folder)).to.deep.equal([])
          },
        ),
        { numRuns: 30 },
      )
    }))
})

describe('findSortedLines', () => {
  it('gives all lines that begin so, and no other', () =>
    withFolder(async folder => {
      const path = join(folder, 'sorted')
      const lines = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[ab]{1,6}$/), fc.nat(9000)), { selector: ([key]) => key, maxLength: 60 })
      await fc.assert(
        fc.asyncProperty(lines, fc.stringMatching(/^[ab]{1,6}$/), async (pairs, lead) => {
          const sorted = pairs.map(([key, length]) => `${key}\t${'v'.repeat(length)}`).sort()
          await writeFile(path, sorted.map(line => `${line}\n`).join(''))
          expect(await findSortedLines(path, lead)).to.deep.equal(sorted.filter(line => line.startsWith(lead)))
        }),
        { numRuns: 100 },
      )
    }))
})

describe('UrlSet', () => {
  it('knows what was added, in which order, and nothing else', () => {
    const set = new UrlSet()
    const urls = Array.from({ length: 20_000 }, (_, index) => `http://h${index % 97}.test/page/${index}`)
    expect(urls.filter(url => set.add(url)).length).to.equal(urls.length)
    expect(urls.filter(url => set.add(url))).to.deep.equal([])
    expect(set.size).to.equal(urls.length)
    expect(urls.filter((url, index) => set.numberOf(url) !== index)).to.deep.equal([])
    expect(urls.filter(url => set.has(`${url}?`))).to.deep.equal([])
  })
})
