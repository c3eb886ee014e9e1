import { expect } from 'chai'
import { type OpenSitemap, type WalkOptions, walkSitemaps } from '../../lib/parse/sitemap/walk-sitemaps.js'

const host = 'http://a.example'
const index = (...names: readonly string[]): string =>
  `<sitemapindex>${names.map(name => `<sitemap><loc>${host}${name}</loc></sitemap>`).join('')}</sitemapindex>`
const pages = (...names: readonly string[]): string => `<urlset>${names.map(name => `<url><loc>${host}${name}</loc></url>`).join('')}</urlset>`

interface Walk {
  readonly urls: readonly string[]
  readonly asked: readonly string[]
  readonly faults: readonly string[]
}

/** Walks a site given as path to content, or to `-> path` for a redirect. */
async function walk(site: Readonly<Record<string, string>>, starts: readonly string[], values: Partial<WalkOptions> = {}): Promise<Walk> {
  const asked: string[] = []
  const faults: string[] = []
  const open = async (url: string): Promise<OpenSitemap | undefined> => {
    const path = url.slice(host.length)
    asked.push(path)
    const content = site[path]
    if (content === undefined) return undefined
    const target = /^-> (.*)$/.exec(content)?.[1]
    const text = target === undefined ? content : (site[target] ?? '')
    return { url: host + (target ?? path), bytes: toStream(text) }
  }
  const options = { isStrict: true, maxBytes: 1_000_000, maxDepth: 64, maxAttributeChars: 1000, maxIndexDepth: 5, maxSitemaps: 1000, open, ...values }
  const urls: string[] = []
  const onFault = (fault: string, sitemap: string): void => void faults.push(`${fault} ${sitemap.slice(host.length)}`)
  for await (const { entry } of walkSitemaps(
    starts.map(start => ({ url: host + start })),
    { ...options, onFault },
  ))
    urls.push(entry.url.slice(host.length))
  return { urls, asked, faults }
}

async function* toStream(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

describe('walking through sitemaps', () => {
  it('reads each once where indexes hold themselves and each other (R034)', async () => {
    const site = {
      '/robots.txt': `User-agent: *\nDisallow:\nSitemap: ${host}/robots.txt\nSitemap: ${host}/si.xml\n`,
      '/si.xml': index('/si.xml', '/si2.xml'),
      '/si2.xml': index('/si.xml', '/s.xml'),
      '/s.xml': pages('/page1'),
    }
    const { urls, asked, faults } = await walk(site, ['/robots.txt', '/si.xml'])
    expect(asked).to.deep.equal(['/robots.txt', '/si.xml', '/si2.xml', '/s.xml'])
    expect(urls).to.deep.equal(['/page1'])
    expect(faults).to.deep.equal(['not_a_sitemap /robots.txt'])
  })

  it('goes no deeper than the limit', async () => {
    const site = Object.fromEntries(Array.from({ length: 60 }, (_, depth) => [`/i${depth}.xml`, index(`/i${depth + 1}.xml`)]))
    const { asked, faults } = await walk(site, ['/i0.xml'])
    expect(asked).to.have.length(6)
    expect(faults).to.deep.equal(['too_deep /i5.xml'])
  })

  it('reads no more than the limit', async () => {
    const names = Array.from({ length: 50 }, (_, number) => `/s${number}.xml`)
    const site = { '/i.xml': index(...names), ...Object.fromEntries(names.map((name, number) => [name, pages(`/${number}`)])) }
    const { urls, faults } = await walk(site, ['/i.xml'], { maxSitemaps: 10 })
    expect(urls).to.have.length(9)
    expect(faults).to.have.length(41)
  })

  it('knows a sitemap behind a redirect', async () => {
    const site = { '/old.xml': '-> /new.xml', '/new.xml': pages('/p'), '/i.xml': index('/new.xml', '/old.xml', '/old.xml#x') }
    const { urls, asked } = await walk(site, ['/i.xml'])
    expect(urls).to.deep.equal(['/p'])
    expect(asked).to.deep.equal(['/i.xml', '/new.xml', '/old.xml'])
  })

  it('passes over those that cannot be had', async () => {
    const { urls, faults } = await walk({ '/i.xml': index('/gone.xml', '/s.xml'), '/s.xml': pages('/p') }, ['/i.xml'])
    expect([urls, faults]).to.deep.equal([['/p'], ['unreachable /gone.xml']])
  })
})
