import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { parseSitemap } from '../../lib/parse/sitemap/parse-sitemap.js'
import type { SitemapOptions } from '../../lib/parse/sitemap/sitemap-entry.js'

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

/** Paths of the entries, and the names of faults. */
async function read(content: string | Buffer, options: Partial<SitemapOptions> = {}): Promise<{ paths: string[]; faults: string[] }> {
  const paths: string[] = []
  const faults: string[] = []
  const all: SitemapOptions = {
    url: 'http://a.example/sitemap.xml',
    isStrict: true,
    maxBytes: 1_000_000,
    maxDepth: 100,
    maxAttributeChars: 1000,
    onFault: fault => void faults.push(fault),
    ...options,
  }
  for await (const { url } of parseSitemap(once(Buffer.from(content)), all)) paths.push(url.replace('http://a.example', ''))
  return { paths, faults }
}

const urlset = (...paths: readonly string[]): string =>
  `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths.map(path => `<url><loc>http://a.example${path}</loc></url>`).join('')}</urlset>`

describe('a sitemap', () => {
  it('is read behind what a server printed before it', async () => {
    const warning = '<br />\n<b>Warning</b>: Undefined index in <b>/srv/sitemap.php</b> on line <b>1</b><br />\n<?xml version="1.0"?>'
    expect(await read(warning + urlset('/1', '/2'))).to.deep.equal({ paths: ['/1', '/2'], faults: [] })
  })

  it('that is cut off gives no URL that is a part of one', async () => {
    const whole = urlset('/1', '/product/12345')
    const inLoc = whole.slice(0, whole.indexOf('345'))
    expect(await read(inLoc)).to.deep.equal({ paths: ['/1'], faults: ['cut_off'] })
    expect(await read(`${inLoc}345</l`)).to.deep.equal({ paths: ['/1', '/product/12345'], faults: ['cut_off'] })
    expect(await read(inLoc.replaceAll(/<\/?loc>/g, ''))).to.deep.equal({ paths: ['/1'], faults: ['cut_off'] })
  })

  it('of plain text has no last line where it is known to be cut off', async () => {
    const lines = 'http://a.example/1\nhttp://a.example/product/12'
    expect(await read(lines)).to.deep.equal({ paths: ['/1', '/product/12'], faults: [] })
    expect(await read(lines, { isTruncated: true })).to.deep.equal({ paths: ['/1'], faults: ['cut_off'] })
    const packed = gzipSync(lines, { level: 0 })
    expect(await read(packed.subarray(0, packed.length - 12))).to.deep.equal({ paths: ['/1'], faults: ['cut_off'] })
  })

  it('is read whatever namespace its own prefix has', async () => {
    const foreign = '<m:urlset xmlns:m="http://a.example/schema"><m:url><m:loc>http://a.example/1</m:loc></m:url></m:urlset>'
    expect(await read(foreign)).to.deep.equal({ paths: ['/1'], faults: [] })
  })
})

describe('gzip of a sitemap', () => {
  const packed = gzipSync(urlset('/1', '/2'))
  it('may have something unpacked behind it', async () => {
    expect(await read(Buffer.concat([packed, Buffer.from('<!-- cached page -->')]))).to.deep.equal({ paths: ['/1', '/2'], faults: [] })
  })

  it('may be of several members', async () => {
    const text = urlset('/1', '/2')
    const members = Buffer.concat([gzipSync(text.slice(0, 90)), gzipSync(text.slice(90))])
    expect(await read(members)).to.deep.equal({ paths: ['/1', '/2'], faults: [] })
  })

  it('with a wrong checksum is read, and said to be broken', async () => {
    const wrong = Buffer.from(packed)
    wrong.writeUInt32LE(1, wrong.length - 8)
    expect(await read(wrong)).to.deep.equal({ paths: ['/1', '/2'], faults: ['cut_off'] })
  })
})
