import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import fc from 'fast-check'
import { parseSitemap, type SitemapEntry, type SitemapOptions } from '../../lib/parse/sitemap/parse-sitemap.js'
import { describeCorpus, readCorpus } from '../support/corpus.js'

interface ExpectedUrl {
  readonly loc: string
  readonly lastmod: string | null
  readonly changefreq?: string | null
  readonly priority?: number
  readonly ext?: Readonly<Record<string, readonly unknown[]>>
}

interface SitemapCase {
  readonly id: string
  readonly file: string
  readonly url: string
  readonly contentType: string | null
  readonly options: { readonly strict: boolean }
  readonly error?: string
  readonly expected?: { readonly index: boolean; readonly urls?: readonly ExpectedUrl[]; readonly sitemaps?: readonly ExpectedUrl[] }
}

/** Sitemaps that are read otherwise than crawler-commons reads them, and why. */
const explained: Readonly<Record<string, string>> = {
  'sm-s0011': 'a time without a zone is taken as UTC',
  'sm-s0027': 'a normalizer of URLs was at work there',
  'sm-s0032': 'a DTD is read over, not refused; nothing external is read',
  'sm-s0034': 'a normalizer of URLs was at work there',
  'sm-s0035': 'a wrong namespace is read',
  'sm-s0084': 'a DTD is read over, not refused; nothing external is read',
  'sm-s0085': 'UTF-16 is read',
  'sm-s0086': 'UTF-16 is read',
  'sm-s0087': 'latin-1 is read where it is declared',
  'sm-s0088': 'latin-1 is read where it is declared',
  'sm-s0093': 'what stands before the garbage is kept',
  'sm-s0095': 'a stray ampersand is read',
  'sm-s0096': 'a stray ampersand is read, and what stands behind it',
}

const defaults = { isStrict: true, maxBytes: 52_428_800, maxDepth: 512, maxAttributeChars: 65_536 }

async function read(chunks: readonly Uint8Array[], options: Partial<SitemapOptions> = {}, contentType?: string): Promise<SitemapEntry[]> {
  async function* source(): AsyncGenerator<Uint8Array> {
    yield* chunks
  }
  const entries: SitemapEntry[] = []
  for await (const entry of parseSitemap(source(), { url: 'http://www.example.com/sitemap.xml', ...defaults, ...options }, contentType))
    entries.push(entry)
  return entries
}

const extensionCounts = (entry: SitemapEntry): Record<string, number> =>
  Object.fromEntries(Object.entries(entry.extensions ?? {}).map(([name, list]) => [name, list.length]))

function checkEntries(entries: readonly SitemapEntry[], { expected }: SitemapCase): void {
  if (expected === undefined) {
    expect(entries, 'entries of a document that is refused').to.deep.equal([])
    return
  }
  const wanted = expected.urls ?? expected.sitemaps ?? []
  expect(entries.map(({ url }) => url)).to.deep.equal(wanted.map(({ loc }) => new URL(loc).href))
  for (const [index, { lastmod, changefreq, priority, ext }] of wanted.entries()) {
    const entry = entries[index] as SitemapEntry
    expect(entry.type).to.equal(expected.index ? 'index' : 'url')
    expect(entry.lastmodMs).to.equal(lastmod === null ? undefined : Date.parse(lastmod))
    if (expected.index) continue
    expect(entry.changefreq).to.equal(changefreq?.toLowerCase())
    expect(entry.priority).to.equal(priority)
    for (const [name, list] of Object.entries(ext ?? {})) {
      if (list.length > 0) expect(extensionCounts(entry)).to.include({ [name === 'PAGEMAPS' ? 'pagemap' : name.toLowerCase()]: list.length })
    }
  }
}

describeCorpus('sitemaps of corpus/sitemap', folder => {
  const bytesOf = (file: string): Buffer => readFileSync(join(folder, 'sitemap', file))

  for (const wanted of readCorpus<SitemapCase>('sitemap/crawler-commons.json')?.cases ?? []) {
    const why = explained[wanted.id]
    it(`${wanted.id} ${wanted.file.replace('files/', '')}${why === undefined ? '' : ` (otherwise: ${why})`}`, async () => {
      const entries = await read([bytesOf(wanted.file)], { url: wanted.url, isStrict: wanted.options.strict }, wanted.contentType ?? undefined)
      if (why === undefined) checkEntries(entries, wanted)
      else expect(() => checkEntries(entries, wanted)).to.throw()
    })
  }

  for (const { id, file, entries: wanted } of readCorpus<{ id: string; file: string; entries: readonly Record<string, string | string[]>[] }>(
    'sitemap/scrapy.json',
  )?.cases ?? []) {
    it(`${id} ${file.replace('files/', '')}`, async () => {
      const entries = await read([bytesOf(file)], { isStrict: false })
      expect(entries.map(({ url }) => url)).to.deep.equal(wanted.map(({ loc }) => loc))
      for (const [index, { priority, changefreq, lastmod, alternate }] of wanted.entries()) {
        const entry = entries[index] as SitemapEntry
        expect(entry.priority).to.equal(priority === undefined ? 0.5 : Number(priority))
        expect(entry.changefreq).to.equal(changefreq)
        expect(entry.lastmodMs).to.equal(lastmod === undefined || lastmod === '' ? undefined : Date.parse(String(lastmod)))
        if (alternate !== undefined) expect(entry.extensions?.links?.map(({ href }) => href)).to.deep.equal(alternate)
      }
    })
  }
})

const sample = `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
 xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"
 xmlns:xhtml="http://www.w3.org/1999/xhtml"><url><loc> http://www.example.com/caf\u00e9?a=1&amp;b=2 </loc><lastmod>2020-01-02</lastmod>
 <changefreq>Daily</changefreq><priority>0.8</priority>
 <image:image><image:loc>http://www.example.com/i.png</image:loc><image:title>T</image:title></image:image>
 <xhtml:link rel="alternate" hreflang="de" href="http://www.example.com/de"/></url>
 <url><loc><![CDATA[http://www.example.com/b]]></loc><priority>7</priority><lastmod>soon</lastmod><changefreq>often</changefreq></url></urlset>`

const sampleEntries: readonly SitemapEntry[] = [
  {
    type: 'url',
    url: 'http://www.example.com/caf%C3%A9?a=1&b=2',
    priority: 0.8,
    lastmodMs: Date.UTC(2020, 0, 2),
    changefreq: 'daily',
    extensions: {
      image: [{ loc: 'http://www.example.com/i.png', title: 'T' }],
      links: [{ hreflang: 'de', href: 'http://www.example.com/de', rel: 'alternate' }],
    },
  },
  { type: 'url', url: 'http://www.example.com/b', priority: 0.5 },
]

/** Reads and lists the faults. */
async function faultsOf(
  chunks: readonly Uint8Array[],
  options: Partial<SitemapOptions> = {},
): Promise<{ faults: string[]; entries: SitemapEntry[] }> {
  const faults: string[] = []
  const entries = await read(chunks, { ...options, onFault: fault => void faults.push(fault) })
  return { faults, entries }
}

describe('sitemaps', () => {
  it('give their entries, and say what was not taken', async () => {
    const { faults, entries } = await faultsOf([Buffer.from(sample)])
    expect(entries).to.deep.equal(sampleEntries)
    expect(faults).to.deep.equal(['bad_lastmod', 'bad_changefreq', 'bad_priority'])
  })

  it('give the same however the bytes are cut, packed or not', async () => {
    const whole = Buffer.from(sample)
    const packed = gzipSync(whole)
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(whole, packed), fc.array(fc.nat(whole.length), { maxLength: 12 }), async (bytes, cuts) => {
        const sorted = [0, ...cuts.map(cut => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length]
        const chunks = sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end))
        expect(await read(chunks)).to.deep.equal(sampleEntries)
      }),
      { numRuns: 60 },
    )
  })

  it('speak only for their own folder, unless told to be lenient', async () => {
    const text = Buffer.from(
      'http://www.example.com/a/1\nhttp://www.example.com/b\nhttps://www.example.com/a/2\nhttp://other.example/a/3\n/relative\n',
    )
    const url = 'http://www.example.com/a/sitemap.txt'
    const strict = await faultsOf([text], { url })
    expect(strict.entries.map(entry => entry.url)).to.deep.equal(['http://www.example.com/a/1'])
    expect(strict.faults).to.deep.equal(['out_of_scope', 'out_of_scope', 'out_of_scope', 'malformed_url'])
    expect(await read([text], { url, isStrict: false })).to.have.length(4)
  })

  it('with a stray ampersand at the end of a loc lose nothing', async () => {
    const text = '<urlset><url><loc>http://www.example.com/?a&b</loc></url><url><loc>http://www.example.com/?a=1&b=2&c&amp;d&</loc></url></urlset>'
    for (const chunks of [[Buffer.from(text)], [...text].map(character => Buffer.from(character))])
      expect((await read(chunks)).map(({ url }) => url)).to.deep.equal(['http://www.example.com/?a&b', 'http://www.example.com/?a=1&b=2&c&d&'])
  })

  it('that are cut off give what came before', async () => {
    expect(await read([Buffer.from(sample.slice(0, -30))])).to.have.length(2)
    const packed = gzipSync(Buffer.from(sample.repeat(1)))
    const { faults, entries } = await faultsOf([packed.subarray(0, packed.length - 12)])
    expect(faults).to.include('cut_off')
    expect(entries.length).to.be.at.most(2)
  })

  it('of other kinds of documents are none', async () => {
    for (const content of ['<!DOCTYPE html><html><a href="http://www.example.com/a">x</a></html>', '', 'no url', '{"a":1}']) {
      expect(await faultsOf([Buffer.from(content)])).to.deep.equal({ faults: ['not_a_sitemap'], entries: [] })
    }
  })

  it('are warned of when they hold too much, and read on', async () => {
    const lines = Array.from({ length: 50_001 }, (_, index) => `http://www.example.com/${index}\n`).join('')
    const { faults, entries } = await faultsOf([Buffer.from(lines)], { maxBytes: 1_000_000 })
    expect(faults).to.deep.equal(['over_bytes', 'over_entries'])
    expect(entries).to.have.length(50_001)
  })

  it('end at ten times the size, so that a bomb ends too', async () => {
    const bomb = gzipSync(Buffer.concat([Buffer.from('http://www.example.com/\n'), Buffer.alloc(20_000_000, 0x20)]))
    const { faults, entries } = await faultsOf([bomb], { maxBytes: 100_000 })
    expect(faults).to.deep.equal(['over_bytes', 'cut_off'])
    expect(entries).to.have.length(1)
  })

  it('read a long one in constant memory', async () => {
    const heapBytes: number[] = []
    async function* long(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('<urlset>')
      const block = Buffer.from('<url><loc>http://www.example.com/page</loc></url>'.repeat(1000))
      for (let count = 1; count <= 80; count++) {
        yield block
        if (count % 20 !== 0) continue
        global.gc?.()
        heapBytes.push(process.memoryUsage().heapUsed)
      }
    }
    let count = 0
    for await (const _ of parseSitemap(long(), { url: 'http://www.example.com/sitemap.xml', ...defaults })) count++
    expect(count).to.equal(80_000)
    expect((heapBytes.at(-1) ?? 0) - (heapBytes[0] ?? 0)).to.be.below(4_000_000)
  })

  it('fail when their source fails', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield gzipSync(Buffer.from(sample)).subarray(0, 50)
      throw new Error('connection lost')
    }
    let failure: unknown
    try {
      for await (const _ of parseSitemap(broken(), { url: 'http://www.example.com/', ...defaults }));
    } catch (error) {
      failure = error
    }
    expect(String(failure)).to.include('connection lost')
  })
})
