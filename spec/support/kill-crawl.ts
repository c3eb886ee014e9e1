import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { runCli } from './cli.js'
import { killAfter, patient } from './kill.js'
import { type SpecServer, startServer } from './server.js'
import { differences, readAllEntries } from './test-db.js'

const hosts = ['127.0.0.1', '127.0.0.2', '127.0.0.3']
/** Items that can be under way when the crawl is killed. */
const maxInFlight = 6
/** Requests of one item: a redirect and its target, where no redirect leads to another. */
const requestsPerItem = 2
const settings = [
  'millrace.merge.batch=5',
  'millrace.merge.memory=65536',
  'millrace.workers=0',
  'fetcher.server.delay=0',
  `fetcher.threads.fetch=${maxInFlight}`,
  'fetcher.threads.per.queue=2',
  'http.agent.name=testbot',
]

export interface KillSite {
  readonly server: SpecServer
  readonly seeds: readonly string[]
  /** Pages asked for, robots.txt left out, with how often. */
  requestCounts(): Map<string, number>
  forget(): void
}

/** A site of several hosts whose answers depend on nothing but the URL: pages that link on, redirects, and some that are gone. */
export async function startKillSite(pagesPerHost: number): Promise<KillSite> {
  let first = 0
  const server = await startServer({
    hosts,
    routes: {
      '/p*': (request, response) => {
        const number = Number(request.url?.slice(2))
        if (number % 11 === 7) {
          response.writeHead(404).end()
          return
        }
        if (number % 13 === 5) {
          response.writeHead(301, { location: `/p${(number + 1) % pagesPerHost}` }).end()
          return
        }
        const links = Array.from({ length: 8 }, (_, index) => {
          const host = hosts[(number + index) % hosts.length] as string
          return `<a href="${server.origin(host)}/p${(number * 5 + index * 17 + 1) % pagesPerHost}">link ${index}</a>`
        })
        response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>${number}</title><p>text ${number}</p>${links.join('\n')}`)
      },
    },
  })
  return {
    server,
    seeds: hosts.map(host => `${server.origin(host)}/p0`),
    requestCounts() {
      const counts = new Map<string, number>()
      for (const { host, target } of server.requests.slice(first)) {
        if (target !== '/robots.txt') counts.set(`${host}${target}`, (counts.get(`${host}${target}`) ?? 0) + 1)
      }
      return counts
    },
    forget() {
      first = server.requests.length
    },
  }
}

/** The crawl that is killed: the same command each time. */
export function crawlCommand(
  folder: string,
  { seeds }: KillSite,
  limits: readonly string[] = ['--rounds', '4', '--now', '2026-01-31T12:00:00Z'],
): string[] {
  const rules = join(folder, 'rules.txt')
  writeFileSync(rules, '+.\n')
  const options = ['--rules', rules, '--allow-address', 'loopback']
  return ['crawl', join(folder, 'crawl'), ...seeds, ...limits, ...options, ...settings.flatMap(pair => ['-D', pair])]
}

export interface Undisturbed {
  readonly db: ReadonlyMap<string, string>
  /** Empty if the crawl inverts no links. */
  readonly links: ReadonlyMap<string, string>
  readonly counts: ReadonlyMap<string, number>
  readonly elapsedMs: number
  readonly totals: Readonly<Record<string, unknown>>
}

/** The crawl as it goes when nobody kills it. */
export async function crawlUndisturbed(folder: string, site: KillSite): Promise<Undisturbed> {
  site.forget()
  const result = await runCli(crawlCommand(folder, site), patient)
  expect(result.status, result.stderr).to.equal(0)
  const { fetched, urls, rounds } = result.json()[0] ?? {}
  return { ...(await readBoth(join(folder, 'crawl'))), counts: site.requestCounts(), elapsedMs: result.elapsedMs, totals: { fetched, urls, rounds } }
}

async function readBoth(crawl: string): Promise<Pick<Undisturbed, 'db' | 'links'>> {
  const links = existsSync(join(crawl, 'linkdb')) ? await readAllEntries(join(crawl, 'linkdb')) : new Map<string, string>()
  return { db: await readAllEntries(join(crawl, 'crawldb')), links }
}

/** Kills the crawl at random moments until it comes to its end, and compares all that it leaves. @returns the kills */
export async function crawlKilled(folder: string, site: KillSite, undisturbed: Undisturbed, maxKills: number, random: () => number): Promise<number> {
  site.forget()
  const command = crawlCommand(folder, site)
  const delays: number[] = []
  let kills = 0
  let hasEnded = false
  while (!hasEnded && kills < maxKills) {
    delays.push(undisturbed.elapsedMs * (0.1 + 0.8 * random()))
    hasEnded = !(await killAfter(command, delays.at(-1) as number))
    if (!hasEnded) kills++
  }
  const title = `killed after ${delays.map(Math.round).join(', ')} ms`
  const totals = hasEnded ? undefined : await totalsOf(command, title)
  const { db, links } = await readBoth(join(folder, 'crawl'))
  expect(differences(db, undisturbed.db), title).to.deep.equal([])
  expect(differences(links, undisturbed.links), title).to.deep.equal([])
  if (totals !== undefined) expect(totals, title).to.include(undisturbed.totals)
  expectFewRepeats(site.requestCounts(), undisturbed.counts, kills, title)
  return kills
}

async function totalsOf(command: readonly string[], title: string): Promise<object> {
  const last = await runCli(command, patient)
  expect(last.status, `${title}: ${last.stderr}`).to.equal(0)
  return last.json()[0] ?? {}
}

function expectFewRepeats(counts: ReadonlyMap<string, number>, undisturbed: ReadonlyMap<string, number>, kills: number, title: string): void {
  expect([...counts.keys()].sort(), title).to.deep.equal([...undisturbed.keys()].sort())
  let repeats = 0
  for (const [url, count] of counts) {
    const more = count - (undisturbed.get(url) ?? 0)
    expect(more, `${title}: ${url}`).to.be.within(0, kills)
    repeats += more
  }
  expect(repeats, title).to.be.at.most(kills * maxInFlight * requestsPerItem)
}
