import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { runCli } from '../support/cli.js'
import { runCommand } from '../support/run-command.js'
import { startServer } from '../support/server.js'

interface PageReport {
  readonly status: string
  readonly title: string
  readonly text: string
  readonly charset: string
  readonly charsetSource: string
  readonly base: string
  readonly canonical: string | null
  readonly refresh: { readonly url: string; readonly delayMs: number } | null
  readonly robots: { readonly noindex: boolean }
  readonly outlinks: readonly { readonly url: string; readonly anchor: string; readonly rel: string; readonly element: string }[]
  readonly metadata: Readonly<Record<string, string>>
  readonly signature: string
}

const html = '<html lang=en><title>Hi</title><meta name=robots content=noindex><body>Some <a href="/next" rel=next>more</a></body></html>'

describe('the commands of the parser', () => {
  let folder = ''
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-parse-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))
  const write = (name: string, content: string | Uint8Array): string => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }

  it('parse-page prints all that was read, from a file or from stdin', async () => {
    const args = ['parse-page', '--url', 'http://example.org/d/', '--content-type', 'text/html; charset=utf-8']
    const fromFile = await runCli([...args, write('page.html', html)])
    const fromStdin = await runCli([...args, '-'], { stdin: html })
    expect(fromFile.status, fromFile.stderr).to.equal(0)
    expect(fromStdin.stdout).to.equal(fromFile.stdout)
    const [record] = fromFile.records<PageReport>()
    expect(record?.key).to.equal('http://example.org/d/')
    expect(record?.value).to.include({
      status: 'success',
      title: 'Hi',
      text: 'Hi\nSome more',
      charset: 'utf-8',
      charsetSource: 'header',
      canonical: null,
    })
    expect(record?.value.robots.noindex).to.equal(true)
    expect(record?.value.outlinks).to.deep.equal([{ url: 'http://example.org/next', anchor: 'more', rel: 'next', element: 'a' }])
    expect(record?.value.signature).to.match(/^[0-9a-f]{32}$/)
  })

  it('parse-page prints one part if asked', async () => {
    const file = write('page.html', html)
    const links = await runCli(['parse-page', '--url', 'http://example.org/', '--links', file])
    expect(links.lines()).to.deep.equal(['http://example.org/next\t{"anchor":"more","rel":"next","element":"a"}'])
    const text = await runCli(['parse-page', '--url', 'http://example.org/', '--text', file])
    expect(text.stdout).to.equal('Hi\nSome more\n')
  })

  it('parse-page wants a URL and a file that is there', async () => {
    expect((await runCli(['parse-page', '-'], { stdin: html })).status).to.equal(2)
    expect((await runCli(['parse-page', '--url', '/relative', '-'], { stdin: html })).status).to.equal(2)
    const missing = await runCli(['parse-page', '--url', 'http://example.org/', join(folder, 'missing.html')])
    expect([missing.status, missing.stderr]).to.satisfy(([status, stderr]: [number, string]) => status === 2 && stderr.includes('missing.html'))
  })

  it('parse-page fetches a URL that is given alone, and says if the server has no such page', async () => {
    const server = await startServer({
      routes: {
        '/moved': { status: 301, headers: { Location: '/page' } },
        '/page': { headers: { 'Content-Type': 'text/html' }, body: html },
        '/gone': { status: 410, headers: { 'Content-Type': 'text/html' }, body: 'sorry' },
      },
    })
    const fetched = (path: string): ReturnType<typeof runCommand> => runCommand(['parse-page', server.origin() + path, '--allow-address', 'loopback'])
    const [page, gone] = [await fetched('/moved'), await fetched('/gone')]
    await server.close()
    expect([page.status, page.log]).to.deep.equal([0, []])
    expect(JSON.parse(page.stdout.slice(page.stdout.indexOf('\t')))).to.include({ url: `${server.origin()}/page`, title: 'Hi', httpStatus: 200 })
    expect(gone.status).to.equal(1)
    expect(gone.log.join()).to.include('410')
  })

  it('parse-page takes headers', async () => {
    const result = await runCli(['parse-page', '--url', 'http://example.org/', '--header', 'Refresh: 2; url=/r', '-'], { stdin: 'x' })
    expect(result.records<PageReport>()[0]?.value.refresh).to.deep.equal({ delayMs: 2000, url: 'http://example.org/r' })
  })

  it('sitemap --parse prints a line for each entry', async () => {
    const xml = `<urlset><url><loc>http://example.org/a</loc><lastmod>2020-01-02</lastmod><changefreq>daily</changefreq><priority>0.9</priority></url>
      <url><loc>http://other.example/b</loc></url></urlset>`
    const args = ['sitemap', '--url', 'http://example.org/sitemap.xml', '--parse']
    const strict = await runCli([...args, write('sitemap.xml.gz', gzipSync(xml))])
    expect(strict.records()).to.deep.equal([
      { key: 'http://example.org/a', value: { type: 'url', lastmodMs: Date.UTC(2020, 0, 2), changefreq: 'daily', priority: 0.9, extensions: {} } },
    ])
    const lenient = await runCli([...args, '-', '--no-strict'], { stdin: xml })
    expect(lenient.records().map(({ key }) => key)).to.deep.equal(['http://example.org/a', 'http://other.example/b'])
  })

  it('sitemap --parse names indexes, and exits 1 for what is no sitemap', async () => {
    const args = ['sitemap', '--url', 'http://example.org/s.xml', '--parse', '-']
    const index = await runCli(args, { stdin: '<sitemapindex><sitemap><loc>http://other.example/s1.xml</loc></sitemap></sitemapindex>' })
    expect(index.records().map(({ key, value }) => [key, value.type])).to.deep.equal([['http://other.example/s1.xml', 'index']])
    expect((await runCli(args, { stdin: '<html>sorry</html>' })).status).to.equal(1)
    expect((await runCli(['sitemap', '--parse', '-'], { stdin: '' })).status).to.equal(2)
  })

  it('signature prints one for each file', async () => {
    const [text, page, nothing] = [write('a.txt', 'Hello World The Quick Brown Fox Jumped Over the Lazy Fox'), write('b', html), write('c', '')]
    const profile = await runCli(['signature', '--class', 'TextProfileSignature', text, nothing])
    expect(profile.records().map(({ value }) => value.signature)).to.deep.equal([
      '893f359d5e8dbbecdac1ede521134f56',
      'd41d8cd98f00b204e9800998ecf8427e',
    ])
    const bytes = await runCli(['signature', text])
    expect(bytes.records()[0]?.value.signature).to.equal('04c7e3ac2ff77e08f616f537d64cf01a')
    // MD5 of the text of a page, not of its markup.
    const parsed = await runCli(['signature', '--class', 'TextMD5Signature', page])
    const plain = await runCli(['signature', '--class', 'TextMD5Signature', write('d.txt', 'Hi\nSome more')])
    expect(parsed.records()[0]?.value.signature).to.equal(plain.records()[0]?.value.signature)
  })
})
