import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { allRecords, specJob } from '../support/job-fixture.js'
import { runCommand } from '../support/run-command.js'
import { type Route, type SpecServer, startServer } from '../support/server.js'
import { useTempFolders } from '../support/temp-folder.js'

const [a, b] = ['127.0.0.1', '127.0.0.2']

describe('sitemaps in a crawl', function () {
  this.timeout(60_000)
  const newFolder = useTempFolders()
  let server: SpecServer
  let folder: string

  const text =
    (body: () => string, type = 'text/plain'): Route =>
    (_request, response) =>
      void response.writeHead(200, { 'content-type': type }).end(body())
  const urlset = (urls: () => readonly string[]): Route =>
    text(
      () =>
        `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls()
          .map(url => `<url><loc>${url}</loc><priority>0.9</priority></url>`)
          .join('')}</urlset>`,
      'application/xml',
    )

  beforeEach(async () => {
    folder = newFolder()
    writeFileSync(join(folder, 'rules.txt'), '+.\n')
    server = await startServer({
      hosts: [a, b],
      routes: {
        [`${a}/robots.txt`]: text(() => `Sitemap: ${server.origin(a)}/map.xml\nSitemap: /relative.txt\n`),
        [`${b}/robots.txt`]: text(() => `User-agent: *\nDisallow: /private\nSitemap: ${server.origin(b)}/private/map.xml\n`),
        [`${a}/map.xml`]: urlset(() => ['/from-map', '/only-map'].map(path => server.origin(a) + path)),
        [`${a}/relative.txt`]: text(() => `${server.origin(a)}/from-text\n`),
        [`${b}/private/map.xml`]: urlset(() => [`${server.origin(b)}/hidden`]),
        [`${a}/`]: text(() => `<a href="${server.origin(b)}/">b</a>`, 'text/html'),
        '/*': { headers: { 'Content-Type': 'text/plain' }, body: 'a page' },
      },
    })
  })
  afterEach(() => server.close())

  async function crawl(limits: readonly string[], properties: readonly string[] = []): Promise<Record<string, unknown>> {
    const fixed = ['--rules', join(folder, 'rules.txt'), '--allow-address', 'loopback', '-D', 'http.agent.name=testbot', '-D', 'millrace.workers=0']
    const defines = ['fetcher.server.delay=0.05', ...properties].flatMap(pair => ['-D', pair])
    const run = await runCommand(['crawl', join(folder, 'crawl'), `${server.origin(a)}/`, ...limits, ...fixed, ...defines])
    expect(run.status).to.equal(0)
    return run.json()
  }

  const askedFor = (target: string, host = a): number => server.requests.filter(request => request.host === host && request.target === target).length

  async function paths(): Promise<string[]> {
    return [...(await allRecords(specJob(join(folder, 'crawl')))).keys()]
      .map(url => url.replace(server.origin(a), 'A').replace(server.origin(b), 'B'))
      .sort()
  }

  for (const limits of [['--until-idle'], ['--rounds', '5']]) {
    it(`are read once for each host and fetched from, with ${limits[0]}`, async () => {
      const totals = await crawl([...limits, '--sitemaps', 'once'])
      expect(totals.fetched).to.equal(5)
      expect(await paths()).to.deep.equal(['A/', 'A/from-map', 'A/from-text', 'A/only-map', 'B/'])
      expect({ map: askedFor('/map.xml'), text: askedFor('/relative.txt'), robots: askedFor('/robots.txt') }).to.deep.equal({
        map: 1,
        text: 1,
        robots: 1,
      })
      expect(askedFor('/private/map.xml', b), 'robots.txt holds for sitemaps too').to.equal(0)
      expect(
        readFileSync(join(folder, 'crawl', 'sitemaps.read'), 'utf8')
          .split('\n')
          .sort(),
      ).to.deep.equal(['', server.origin(a), server.origin(b)])
      await crawl([...limits, '--sitemaps', 'once', '--top-n', '7'])
      expect(askedFor('/map.xml'), 'once over the life of the folder').to.equal(1)
      expect(
        existsSync(join(folder, 'crawl', 'spool')) ? readdirSync(join(folder, 'crawl', 'spool')).length : 0,
        'lists that are left',
      ).to.be.at.most(1)
    })

    it(`keep the delay of their host, with ${limits[0]}`, async () => {
      await crawl([...limits, '--sitemaps', 'once'], ['fetcher.server.delay=0.2'])
      const own = server.requests.filter(({ host }) => host === a)
      expect(own.length).to.equal(7)
      for (const [index, { startMs, target }] of own.entries())
        if (index > 0) expect(startMs - (own[index - 1]?.endMs ?? Number.POSITIVE_INFINITY), target).to.be.at.least(175)
    })
  }

  it('are not read unless that is asked for', async () => {
    await crawl(['--rounds', '3'])
    expect(askedFor('/map.xml')).to.equal(0)
    expect(await paths()).to.deep.equal(['A/', 'B/'])
  })

  it('are read again in every round where that is asked for', async () => {
    await crawl(['--rounds', '3', '-D', 'millrace.sitemap.follow=always'])
    expect(askedFor('/map.xml'), 'two rounds had something to fetch').to.equal(2)
    expect(askedFor('/robots.txt')).to.equal(1)
  })

  it('give score, and leave records alone that stand there', async () => {
    await crawl(['--rounds', '1', '--sitemaps', 'once'])
    const records = await allRecords(specJob(join(folder, 'crawl')))
    expect([...records.values()].find(({ url }) => url.endsWith('/only-map'))?.score).to.be.closeTo(0.9, 1e-6)
    expect([...records.values()].find(({ url }) => url === `${server.origin(a)}/`)?.score).to.equal(1)
  })
})

describe('millrace sitemap DIR', () => {
  const newFolder = useTempFolders()

  it('takes what a sitemap on another host says of the host whose robots.txt names it', async () => {
    const xml = (body: string) => ({ headers: { 'Content-Type': 'application/xml' }, body })
    const loc = (url: string): string => `<loc>${url}</loc>`
    const hosts = [a, b, '127.0.0.3']
    const origins: string[] = []
    const text = (): string => hosts.map((_, index) => `<url>${loc(`${origins[index]}/page`)}</url>`).join('')
    const lazily =
      (body: () => string): Route =>
      (_request, response) =>
        void response.writeHead(200, xml('').headers).end(body())
    const server = await startServer({
      hosts,
      routes: {
        [`${a}/robots.txt`]: lazily(() => `Sitemap: ${origins[1]}/for-a/index.xml\n`),
        [`${b}/for-a/index.xml`]: lazily(() => `<sitemapindex><sitemap>${loc(`${origins[1]}/for-a/map.xml`)}</sitemap></sitemapindex>`),
        [`${b}/for-a/map.xml`]: lazily(() => `<urlset>${text()}</urlset>`),
      },
    })
    origins.push(...hosts.map(host => server.origin(host)))
    try {
      const folder = newFolder()
      const options = [
        '--allow-address',
        'loopback',
        '-D',
        'http.agent.name=testbot',
        '-D',
        'fetcher.server.delay=0',
        '-D',
        'urlfilter.regex.rules=+.',
      ]
      await runCommand(['sitemap', folder, `${origins[0]}/`, ...options])
      expect([...(await allRecords(specJob(folder))).keys()], 'neither its own other folder nor a third host').to.deep.equal([`${origins[0]}/page`])
    } finally {
      await server.close()
    }
  })

  it('keeps the delay that a run before it owes a host', async () => {
    const server = await startServer({
      routes: { '/robots.txt': { status: 404 }, '/map.txt': { headers: { 'Content-Type': 'text/plain' }, body: 'x' } },
    })
    const folder = newFolder()
    const argv = [
      'sitemap',
      folder,
      `${server.origin()}/map.txt`,
      '--allow-address',
      'loopback',
      '-D',
      'fetcher.server.delay=0.3',
      '-D',
      'http.agent.name=t',
    ]
    await runCommand(argv)
    await runCommand(argv)
    await server.close()
    expect(server.requests).to.have.length(4)
    for (const [index, { startMs }] of server.requests.entries())
      if (index > 0) expect(startMs - (server.requests[index - 1]?.endMs ?? Number.POSITIVE_INFINITY)).to.be.at.least(275)
  })

  it('reads sitemaps that robots.txt names by their path', async () => {
    const type = { 'Content-Type': 'text/plain' }
    const server = await startServer({
      routes: {
        '/robots.txt': { headers: type, body: 'Sitemap: /map.txt\n' },
        '/map.txt': (request, response) => void response.writeHead(200, type).end(`http://${request.headers.host}/found\n`),
      },
    })
    const folder = newFolder()
    const run = await runCommand([
      'sitemap',
      folder,
      `${server.origin()}/`,
      ...['--allow-address', 'loopback', '-D', 'fetcher.server.delay=0', '-D', 'http.agent.name=t'],
    ])
    await server.close()
    expect(run.json<{ added: number }>().added).to.equal(1)
    expect([...(await allRecords(specJob(folder))).keys()]).to.deep.equal([`${server.origin()}/found`])
  })

  it('stops a packed sitemap at its limit', async () => {
    const bomb = gzipSync(Buffer.concat([Buffer.from('http://127.0.0.1/first\n'), Buffer.alloc(12_000_000, 0x20)]))
    const server = await startServer({
      routes: { '/robots.txt': { status: 404 }, '/bomb.txt.gz': { headers: { 'Content-Type': 'application/gzip' }, body: bomb } },
    })
    const argv = [
      'sitemap',
      newFolder(),
      `${server.origin()}/bomb.txt.gz`,
      '--allow-address',
      'loopback',
      '-D',
      'sitemap.size.max=100000',
      '-D',
      'fetcher.server.delay=0',
    ]
    const run = await runCommand([...argv, '-D', 'http.agent.name=t'])
    await server.close()
    expect(run.json<{ counts: object }>().counts).to.include({ 'sitemap/over_bytes': 1, 'sitemap/cut_off': 1 })
    expect(run.log.filter(line => line.startsWith('warn sitemap'))).to.have.length(2)
  })
})
