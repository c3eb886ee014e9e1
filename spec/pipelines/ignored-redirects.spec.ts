import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../lib/log/clock.js'
import { runCommand } from '../support/run-command.js'
import { readOutcomes } from '../support/segment-files.js'
import { type SpecServer, startServer } from '../support/server.js'
import { useTempFolders } from '../support/temp-folder.js'

describe('Redirects where internal or external links are ignored', () => {
  const newFolder = useTempFolders()
  const [own, other] = ['127.0.0.1', '127.0.0.2']
  let server: SpecServer
  beforeEach(async () => {
    const to = (location: string) => ({ status: 301, headers: { location } })
    server = await startServer({
      hosts: [own, other],
      routes: {
        [`${own}/out`]: (_request, response) => void response.writeHead(302, { location: `${server.origin(other)}/page` }).end(),
        [`${own}/in`]: to('/page'),
        [`${own}/hop`]: to('/out'),
        '/page': { body: '<title>page</title>' },
      },
    })
  })
  afterEach(() => server.close())

  const crawl = async (folder: string, seeds: readonly string[], values: readonly string[]) => {
    const options = ['fetcher.server.delay=0', 'http.agent.name=testbot', 'millrace.workers=0', ...values].flatMap(value => ['-D', value])
    const urls = seeds.map(seed => `${server.origin(own)}${seed}`)
    await runCommand(['crawl', folder, ...urls, '--rounds', '1', '--allow-address', 'loopback', ...options], { clock: systemClock })
    const dumped = await runCommand(['readdb', folder, '--dump', '--format', 'json'])
    return dumped.stdout.split('\n').flatMap(line => (line === '' ? [] : [(JSON.parse(line) as { url: string }).url])) // Nutch's key
  }
  const paged = (host: string) => server.requests.filter(request => request.host === host && request.target === '/page').length

  for (const { values, seeds, isFollowed, why } of [
    { values: [], seeds: ['/out'], isFollowed: true, why: 'no links are ignored' },
    { values: ['db.ignore.external.links=true'], seeds: ['/out'], isFollowed: false, why: 'external links are ignored' },
    { values: ['db.ignore.external.links=true'], seeds: ['/hop'], isFollowed: false, why: 'the second hop leaves the host' },
    { values: ['db.ignore.external.links=true', 'http.redirect.max=0'], seeds: ['/out'], isFollowed: false, why: 'none is followed at once' },
    {
      values: ['db.ignore.external.links=true', 'db.ignore.also.redirects=false'],
      seeds: ['/out'],
      isFollowed: true,
      why: 'redirects are let through',
    },
    { values: ['db.ignore.internal.links=true'], seeds: ['/out'], isFollowed: true, why: 'only internal links are ignored' },
  ])
    it(`to another host are ${isFollowed ? '' : 'not '}followed where ${why}`, async () => {
      const known = await crawl(newFolder(), seeds, values)
      expect(paged(other)).to.equal(isFollowed ? 1 : 0)
      expect(known.includes(`${server.origin(other)}/page`)).to.equal(isFollowed)
    })

  it('say why they are not followed', async () => {
    const folder = newFolder()
    await crawl(folder, ['/out', '/in'], ['db.ignore.external.links=true'])
    expect(readOutcomes(folder).get(`${server.origin(own)}/out`)).to.include({ status: 'fetch_redir_temp', cause: 'redirect not followed: external' })
    expect(readOutcomes(folder).get(`${server.origin(own)}/page`)).to.include({ status: 'fetch_success' })
  })

  it('within the host are not followed where internal links are ignored', async () => {
    await crawl(newFolder(), ['/in'], ['db.ignore.internal.links=true'])
    expect(paged(own)).to.equal(0)
  })

  it('to another host are followed by exemption', async () => {
    const folder = newFolder()
    const exemptions = join(folder, 'exemptions.txt')
    writeFileSync(exemptions, '+^http://127\\.0\\.0\\.2')
    await crawl(join(folder, 'crawl'), ['/out'], ['db.ignore.external.links=true', `db.ignore.external.exemptions.file=${exemptions}`])
    expect(paged(other)).to.equal(1)
  })

  it('to another host are no records of what is imported', async () => {
    const [from, to] = [newFolder(), newFolder()]
    await crawl(from, ['/out'], ['db.ignore.external.links=true'])
    const segment = join(from, 'segments', readdirSync(join(from, 'segments'))[0] ?? '')
    await runCommand(['import', to, '--warc', join(segment, 'content-00000.warc.gz'), '-D', 'db.ignore.external.links=true'])
    expect(readOutcomes(to).get(`${server.origin(own)}/out`)).to.deep.include({ redirect: { ...external(), dropped: 'external' } })
  })
  const external = () => ({ to: `${server.origin(other)}/page`, kind: 'temp', via: 'location' })
})
