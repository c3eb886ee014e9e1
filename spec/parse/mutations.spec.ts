import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parsePage } from '../../lib/parse/parse-page.js'
import { parseSitemap } from '../../lib/parse/sitemap/parse-sitemap.js'
import { describeCorpus } from '../support/corpus.js'
import { mutate, randomNumbers } from './mutate.js'
import { parseOptions } from './parse-support.js'

const mutationCount = 500
const types = ['text/html', 'application/xhtml+xml', 'application/rss+xml', 'application/xml', 'text/plain', undefined]

describeCorpus('mutated pages', folder => {
  const files = ['html/pages', 'feed/files', 'sitemap/files', 'charset/files']
    .flatMap(sub => readdirSync(join(folder, sub)).map(name => join(folder, sub, name)))
    .filter(file => !/own-deep|own-huge/.test(file))

  it(`never throw, hang or grow (${mutationCount} of them)`, async () => {
    const random = randomNumbers(20_261_130)
    const readers = [parseOptions(), parseOptions({ 'parser.html.impl': 'sax' })]
    for (let count = 0; count < mutationCount; count++) {
      const file = files[Math.floor(random() * files.length)] ?? ''
      const bytes = mutate(readFileSync(file).subarray(0, 60_000), random)
      const contentType = types[count % types.length]
      const parse = parsePage(
        { url: 'http://example.com/', bytes, ...(contentType === undefined ? {} : { contentType }) },
        readers[count % 2] ?? parseOptions(),
      )
      expect(parse.status, `${count} ${file}`).to.be.oneOf(['success', 'notparsed'])
      if (count % 5 === 0) for await (const _ of parseSitemap(one(bytes), sitemapOptions));
    }
  }).timeout(60_000)
})

describeCorpus('pages nobody has labelled', folder => {
  const root = join(folder, '../unlabelled')
  for (const kind of ['html', 'feed', 'sitemap', 'charset']) {
    it(`of unlabelled/${kind} are read without a fault, the same each time`, async () => {
      for (const name of readdirSync(join(root, kind))) {
        const bytes = readFileSync(join(root, kind, name))
        const page = { url: 'http://example.com/', bytes, ...(kind === 'html' ? { contentType: 'text/html' } : {}) }
        const parse = parsePage(page, parseOptions())
        expect(parse.status, name).to.be.oneOf(['success', 'notparsed'])
        expect(parsePage(page, parseOptions()), name).to.deep.equal(parse)
        for await (const entry of parseSitemap(one(bytes), sitemapOptions)) expect(URL.canParse(entry.url)).to.equal(true)
      }
    })
  }
})

const sitemapOptions = { url: 'http://www.example.com/sitemap.xml', isStrict: false, maxBytes: 52_428_800, maxDepth: 512, maxAttributeChars: 65_536 }

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
