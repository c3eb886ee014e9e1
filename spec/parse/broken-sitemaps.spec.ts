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
