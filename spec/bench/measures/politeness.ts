import { join } from 'node:path'
import type { Bench } from '../bench.js'
import { writeLines } from '../made/made-urls.js'
import { type Figure, figure, type Measure } from '../measure.js'
import { runMillrace, useFields } from '../measured-child.js'
import { loopbackHosts } from '../servers/loopback.js'
import { type HostLog, pagePath, startPageServer } from '../servers/page-plan.js'
import { acceptAll } from './crawl-site.js'

/** A crawl that nothing but the delays holds back: by the server's log, how much of the time between requests was delay. */
export const politenessMeasure: Measure = {
  name: 'politeness',
  title: ({ sizes: { polite } }) =>
    `Politeness-bound crawl of ${polite.hosts} hosts: share of the rate that a delay of ${polite.cases.map(each => `${each.delayS} s`).join(' and of ')} allows`,
  async round(bench) {
    const figures: Figure[] = []
    for (const each of bench.sizes.polite.cases) figures.push(...(await crawlPolitely(bench, each)))
    return figures
  },
}

async function crawlPolitely(bench: Bench, { delayS, pagesPerHost }: Bench['sizes']['polite']['cases'][number]): Promise<Figure[]> {
  const hosts = loopbackHosts(32, bench.sizes.polite.hosts)
  const server = await startPageServer({ hosts, pagesPerHost })
  try {
    return await bench.withFolder(async folder => {
      const seeds = join(folder, 'seeds.txt')
      await writeLines(seeds, seedsOf(hosts, server.port, pagesPerHost))
      const options = [`fetcher.server.delay=${delayS}`, 'fetcher.threads.fetch=500', 'http.timeout=60000']
      const run = await runMillrace([
        ...['crawl', join(folder, 'crawl'), '--seeds', seeds, '--until-idle', '--rules', acceptAll(bench), '--allow-address', 'loopback', '--quiet'],
        ...options.flatMap(option => ['-D', option]),
      ])
      const log = await server.seen<readonly HostLog[]>()
      const { share, wholeShare, ratePerS } = sharesOf(log, delayS, pagesPerHost)
      const notes = { 'pages/s': Math.round(ratePerS), 'pages/s allowed': Math.round(hosts.length / delayS) }
      return [
        figure(bench, { name: `delay of ${delayS} s`, value: share * 100, unit: '%', target: { atLeast: 97 }, ...useFields(run), notes }),
        { name: `delay of ${delayS} s, from the first request to the last`, value: wholeShare * 100, unit: '%' },
      ]
    })
  } finally {
    await server.close()
  }
}

function* seedsOf(hosts: readonly string[], port: number, pagesPerHost: number): Generator<string> {
  for (const host of hosts) for (let page = 0; page < pagesPerHost; page++) yield `http://${host}:${port}${pagePath(page)}`
}

interface Shares {
  /** Of the time that each host was at work. */
  readonly share: number
  /** Of the time that all hosts together took, so that those who began late count. */
  readonly wholeShare: number
  readonly ratePerS: number
}

/** @throws if a page was not asked for exactly once */
function sharesOf(hosts: readonly HostLog[], delayS: number, pagesPerHost: number): Shares {
  const odd = hosts.find(({ requests, pages }) => requests !== pagesPerHost || pages.length !== pagesPerHost)
  if (odd !== undefined) throw new Error(`${odd.host} was asked ${odd.requests} times for ${odd.pages.length} of ${pagesPerHost} pages`)
  const neededMs = (pagesPerHost - 1) * delayS * 1000
  const takenMs = hosts.reduce((sum, { firstMs, lastMs }) => sum + lastMs - firstMs, 0)
  const wholeMs = Math.max(...hosts.map(({ lastMs }) => lastMs)) - Math.min(...hosts.map(({ firstMs }) => firstMs))
  return { share: (neededMs * hosts.length) / takenMs, wholeShare: neededMs / wholeMs, ratePerS: (hosts.length * pagesPerHost * 1000) / wholeMs }
}
