import { Readable } from 'node:stream'
import { expect } from 'chai'
import fc from 'fast-check'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { formatLine, isJsonObject, parseJsonObject, parseLine } from '../../lib/record/line-format.js'
import { splitLines } from '../../lib/stream/split-lines.js'

/** Any JSON object, and any key that a URL could be: no tab, no line end. */
const key = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter(text => !/[\t\r\n]/.test(text) && !text.startsWith('\ufeff'))
const value = fc
  .dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 3 }))
  .map(object => JSON.parse(JSON.stringify(object)) as object)

describe('line format', () => {
  it('is URL, tab, JSON, line feed, with keys in the order given', () => {
    expect(formatLine('http://a.example/', { status: 'db_fetched', at: 1, text: 'ü\t\n' })).to.equal(
      'http://a.example/\t{"status":"db_fetched","at":1,"text":"ü\\t\\n"}\n',
    )
  })

  it('gives back what was written, also through a byte stream in any chunks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(key, value), { maxLength: 5 }), fc.integer({ min: 1, max: 50 }), async (records, chunkBytes) => {
        const bytes = Buffer.from(records.map(([name, object]) => formatLine(name, object)).join(''))
        const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, nth) =>
          bytes.subarray(nth * chunkBytes, (nth + 1) * chunkBytes),
        )
        const read: unknown[] = []
        for await (const { text, fault } of splitLines()(Readable.from(chunks) as AsyncIterable<Buffer>)) {
          expect(fault).to.equal(undefined)
          const line = parseLine(text)
          read.push([line.key, line.value])
        }
        expect(read).to.deep.equal(records)
      }),
      { numRuns: 200 },
    )
  })

  for (const { line, reason } of [
    { line: '', reason: 'no key before a tab' },
    { line: 'http://a.example/', reason: 'no key before a tab' },
    { line: '\t{}', reason: 'no key before a tab' },
    { line: 'a\t', reason: 'what stands after the tab is no JSON' },
    { line: 'a\t{"b":1', reason: 'what stands after the tab is no JSON' },
    { line: 'a\t{} {}', reason: 'what stands after the tab is no JSON' },
    { line: 'a\tkey=value', reason: 'what stands after the tab is no JSON' },
    { line: 'a\t[]', reason: 'what stands after the tab is no JSON object' },
    { line: 'a\tnull', reason: 'what stands after the tab is no JSON object' },
    { line: 'a\t"text"', reason: 'what stands after the tab is no JSON object' },
    { line: 'a\t1', reason: 'what stands after the tab is no JSON object' },
  ]) {
    it(`refuses ${JSON.stringify(line)}`, () => {
      expect(() => parseLine(line))
        .to.throw(CrawlError)
        .that.includes({ code: 'LINE_INVALID', message: reason })
    })
  }

  it('splits at the first tab only, and lets JSON bear space around it', () => {
    expect(() => parseLine('a\tb\t{}')).to.throw(CrawlError, 'no JSON')
    expect(parseLine('a\t {"b": 1} ')).to.deep.equal({ key: 'a', value: { b: 1 } })
  })

  it('never takes a name from the prototype of objects', () => {
    const { value: read } = parseLine('a\t{"__proto__":{"status":"db_gone"}}')
    expect(read.status).to.equal(undefined)
    expect(Object.keys(read)).to.deep.equal(['__proto__'])
  })

  it('reads JSON that is nested 100,000 deep without running out of stack', () => {
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    expect(Object.keys(parseJsonObject(deep))).to.deep.equal(['a'])
  })

  for (const { text, isObject } of [
    { text: '{}', isObject: true },
    { text: '[]', isObject: false },
    { text: 'null', isObject: false },
    { text: '"a"', isObject: false },
  ]) {
    it(`${text} is ${isObject ? 'a' : 'no'} JSON object`, () => {
      expect(isJsonObject(JSON.parse(text))).to.equal(isObject)
    })
  }
})
