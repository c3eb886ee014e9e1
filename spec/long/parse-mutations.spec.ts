import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parsePage } from '../../lib/parse/parse-page.js'
import { mutate, randomNumbers } from '../parse/mutate.js'
import { parseOptions } from '../parse/parse-support.js'
import { describeCorpus } from '../support/corpus.js'

const mutationCount = 20_000

describeCorpus('mutated pages, many', folder => {
  it(`never throw, hang or grow (${mutationCount} of them)`, () => {
    const files = ['html/pages', 'feed/files', 'sitemap/files'].flatMap(sub => readdirSync(join(folder, sub)).map(name => join(folder, sub, name)))
    const seed = Number(process.env.MILLRACE_SEED ?? 1)
    const random = randomNumbers(seed)
    const readers = [parseOptions(), parseOptions({ 'parser.html.impl': 'sax' })]
    let slowestMs = 0
    for (let count = 0; count < mutationCount; count++) {
      const file = files[Math.floor(random() * files.length)] ?? ''
      const bytes = mutate(readFileSync(file).subarray(0, 100_000), random)
      const startMs = performance.now()
      const parse = parsePage({ url: 'http://example.com/', bytes }, readers[count % 2] ?? parseOptions())
      slowestMs = Math.max(slowestMs, performance.now() - startMs)
      expect(parse.status, `seed ${seed}, ${count}, ${file}`).to.be.oneOf(['success', 'notparsed'])
    }
    expect(slowestMs).to.be.below(5000)
    global.gc?.()
    expect(process.memoryUsage().heapUsed).to.be.below(300_000_000)
  })
})

describe('pages of 50 MB', () => {
  const pages: Readonly<Record<string, () => Buffer>> = {
    'of div': () => Buffer.alloc(50_000_000, '<div>'),
    'of one attribute': () => Buffer.concat([Buffer.from('<a href="'), Buffer.alloc(50_000_000, 'x'), Buffer.from('">')]),
    'of links': () => Buffer.alloc(50_000_000, '<a href=/x>y</a>'),
    'of text': () => Buffer.alloc(50_000_000, 'some words '),
  }
  for (const [name, make] of Object.entries(pages)) {
    it(`${name} end within the time limit and in bounded memory`, () => {
      const bytes = make()
      global.gc?.()
      const beforeBytes = process.memoryUsage().heapUsed
      const startMs = performance.now()
      const parse = parsePage({ url: 'http://example.com/', contentType: 'text/html; charset=utf-8', bytes }, parseOptions())
      expect(performance.now() - startMs).to.be.below(32_000)
      expect(parse.links.length).to.be.at.most(100_000)
      global.gc?.()
      expect(process.memoryUsage().heapUsed - beforeBytes).to.be.below(120_000_000)
    })
  }
})
