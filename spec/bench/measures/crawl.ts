import type { Bench } from '../bench.js'
import { type Figure, figure, type Measure, type Target } from '../measure.js'
import { useFields } from '../measured-child.js'
import { type BenchSite, benchSite } from '../servers/bench-site.js'
import { checkLinks } from './check-links.js'
import { crawlSite } from './crawl-site.js'
import { type CrawlRun, findPeers, type Peer } from './peers.js'

const maxPeakMB = 400

/** Crawls of the bench site: ours with all parts written, with and without workers, and each peer in turn. */
export const crawlMeasure: Measure = {
  name: 'crawl',
  title: ({ sizes }) => `Crawl of ${sizes.crawlPages} pages from ${sizes.site.hosts} hosts, all parts written`,
  async round(bench) {
    const site = await benchSite(bench)
    const peers = await bench.once('peers', async () => findPeers(bench))
    const runs = new Map<string, CrawlRun>()
    const notes = new Map<string, Figure['notes']>()
    const contenders = [ours('millrace', []), ours('millrace --workers 0', ['--workers', '0']), ...peers]
    for (let turn = 0; turn < contenders.length; turn++) {
      const contender = contenders[(turn + bench.round) % contenders.length] as Peer // within its length
      await bench.withFolder(async folder => {
        runs.set(contender.name, await contender.crawl(site, bench.sizes.crawlPages, folder))
      })
    }
    return [...rates(runs, notes), ...ratios(bench, runs), ...peak(bench, runs)]

    function ours(name: string, flags: readonly string[]): Peer {
      return {
        name,
        async crawl(_, pages, folder) {
          const run = await crawlSite(bench, site, folder, pages, flags)
          notes.set(name, { 'urls in the db': run.urls, ...(await checkedLinks(folder, site, run.urls)) })
          return run
        },
      }
    }
  },
}

async function checkedLinks(folder: string, site: BenchSite, urlsInDb: number): Promise<Record<string, number>> {
  const check = await checkLinks(folder, site)
  if (check.urls !== urlsInDb) throw new Error(`the db has ${urlsInDb} URLs, the pages that were fetched link to ${check.urls}`)
  return { 'links equal to the site’s': check.links }
}

function rateOf({ fetched, elapsedMs }: CrawlRun): number {
  return (fetched * 1000) / elapsedMs
}

function rates(runs: ReadonlyMap<string, CrawlRun>, notes: ReadonlyMap<string, Figure['notes']>): Figure[] {
  return [...runs].map(([name, run]) => ({
    name,
    value: rateOf(run),
    unit: 'pages/s',
    ...useFields(run),
    notes: { fetched: run.fetched, ...notes.get(name) },
  }))
}

const wanted: readonly { readonly ours: string; readonly peer: string; readonly target?: Target }[] = [
  { ours: 'millrace', peer: 'crawlee', target: { atLeast: 9 } },
  { ours: 'millrace', peer: 'bare loop', target: { atLeast: 1 } },
  { ours: 'millrace --workers 0', peer: 'bare loop', target: { atLeast: 0.6 } },
  { ours: 'millrace', peer: 'scrapy' },
]

function ratios(bench: Bench, runs: ReadonlyMap<string, CrawlRun>): Figure[] {
  return wanted.flatMap(({ ours, peer, target }) => {
    const [our, other] = [runs.get(ours), runs.get(peer)]
    if (our === undefined || other === undefined) return []
    return figure(bench, { name: `${ours} / ${peer}`, value: rateOf(our) / rateOf(other), unit: '×', ...(target === undefined ? {} : { target }) })
  })
}

function peak(bench: Bench, runs: ReadonlyMap<string, CrawlRun>): Figure[] {
  const peakBytes = runs.get('millrace')?.peakBytes
  return peakBytes === undefined
    ? []
    : [figure(bench, { name: 'peak memory', value: peakBytes / 1_000_000, unit: 'MB', target: { atMost: maxPeakMB } })]
}
