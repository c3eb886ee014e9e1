import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { StreamDecoder } from '../../lib/parse/charset/stream-decoder.js'
import { FeedCollector } from '../../lib/parse/feed/feed-collector.js'
import { HtmlReader } from '../../lib/parse/html/html-reader.js'
import { PageCollector } from '../../lib/parse/html/page-collector.js'
import { SaxMarkupReader } from '../../lib/parse/html/sax-markup-reader.js'
import { XmlReader } from '../../lib/parse/xml/xml-reader.js'
import { describeCorpus } from '../support/corpus.js'
import { parseOptions } from './parse-support.js'

const options = parseOptions()

/** What a reader makes of bytes that come in these pieces. */
type Read = (chunks: readonly string[]) => unknown

const readers: Readonly<Record<string, Read>> = {
  htmlparser2: chunks => {
    const collector = new PageCollector(options)
    const reader = new HtmlReader(collector, options)
    for (const chunk of chunks) reader.write(chunk)
    reader.end()
    collector.end()
    return { page: collector.page, text: collector.text }
  },
  sax: chunks => {
    const collector = new PageCollector(options)
    const reader = new SaxMarkupReader(collector, true)
    for (const chunk of chunks) reader.write(chunk)
    reader.end()
    collector.end()
    return { page: collector.page, text: collector.text }
  },
  'the feed reader': chunks => {
    const collector = new FeedCollector(options, 'http://example.com/')
    const reader = new XmlReader(collector, options)
    for (const chunk of chunks) reader.write(chunk)
    reader.end()
    collector.end()
    return { page: collector.page, text: collector.text }
  },
}

/** Pieces between these places; some of them next to each other, so that pieces of one byte occur. */
function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const sorted = [...new Set([0, ...places.flatMap(place => [place, place + 1, place + 2]), bytes.length])]
    .filter(place => place <= bytes.length)
    .sort((a, b) => a - b)
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end))
}

function decode(chunks: readonly Uint8Array[], charset: string): string[] {
  const decoder = new StreamDecoder(charset)
  return [...chunks.map(chunk => decoder.write(chunk)), decoder.end()]
}

describeCorpus('any split of the bytes', folder => {
  const pages = {
    htmlparser2: [
      'html/pages/rd-ars-1.html',
      'html/pages/tk-testHTML.html',
      'html/pages/jsfuzz-1637.html',
      'html/pages/own-entities.html',
      'html/pages/np-japanese_article2.html',
    ],
    sax: ['html/pages/tk-testXHTML.html', 'html/pages/own-script-link-text.html'],
    'the feed reader': ['feed/files/rp-heise.atom', 'feed/files/cc-feed.rss'],
  } as const
  for (const [name, files] of Object.entries(pages)) {
    for (const file of files) {
      it(`gives the same by ${name}: ${file.split('/').at(-1)}`, () => {
        const read = readers[name] as Read
        const bytes = readFileSync(join(folder, file)).subarray(0, 60_000)
        const whole = read(decode([bytes], 'utf-8'))
        fc.assert(
          fc.property(fc.array(fc.nat(bytes.length), { maxLength: 40 }), places => {
            expect(read(decode(cutAt(bytes, places), 'utf-8'))).to.deep.equal(whole)
          }),
          { numRuns: 8 },
        )
      })
    }
  }

  it('gives the same even byte by byte', () => {
    const read = readers.htmlparser2 as Read
    const bytes = readFileSync(join(folder, 'html/pages/tk-testHTML.html'))
    const single = [...bytes].map(byte => Uint8Array.of(byte))
    expect(read(decode(single, 'utf-8'))).to.deep.equal(read(decode([bytes], 'utf-8')))
  })
})
