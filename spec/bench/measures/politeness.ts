import { join } from 'node:path'
import type { Bench } from '../bench.js'
import { writeLines } from '../made/made-urls.js'
import { type Figure, figure, type Measure } from '../measure.js'
import { runMillrace, useFields } from '../measured-child.js'
import { loopbackHosts } from '../servers/loopback.js'
import { type PageLog, pagePath, startPageServer } from '../servers/page-plan.js'
import { acceptAll } from './crawl-site.js'

/** A crawl that nothing but the delays holds back: pages per second by the server's log, against what the delays allow. */
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
      const rates = ratesOf(await server.seen<PageLog>(), delayS, pagesPerHost)
      const allowedPerS = hosts.length / delayS
      const notes = { 'pages/s': Math.round(rates.steadyPerS), 'pages/s allowed': Math.round(allowedPerS) }
      const name = `delay of ${delayS} s`
      return [
        figure(bench, { name, value: (rates.steadyPerS / allowedPerS) * 100, unit: '%', target: { atLeast: 97 }, ...useFields(run), notes }),
        { name: `${name}, from the first request to the last`, value: (rates.wholePerS / allowedPerS) * 100, unit: '%' },
        { name: `${name}, of a host's own time`, value: rates.hostShare * 100, unit: '%' },
      ]
    })
  } finally {
    await server.close()
  }
}

function* seedsOf(hosts: readonly string[], port: number, pagesPerHost: number): Generator<string> {
  for (const host of hosts) for (let page = 0; page < pagesPerHost; page++) yield `http://${host}:${port}${pagePath(page)}`
}

interface Rates {
  /** While all hosts were at work at once; where they never were, from the first request to the last. */
  readonly steadyPerS: number
  readonly wholePerS: number
  /** Of the time from a host's first page to its last, the share that the delay asks for: below 1 is waiting for the crawler. */
  readonly hostShare: number
}

/** @throws if a page was not asked for exactly once */
function ratesOf({ hosts, pageTimesMs }: PageLog, delayS: number, pagesPerHost: number): Rates {
  const odd = hosts.find(({ requests, pages }) => requests !== pagesPerHost || pages.length !== pagesPerHost)
  if (odd !== undefined) throw new Error(`${odd.host} was asked ${odd.requests} times for ${odd.pages.length} of ${pagesPerHost} pages`)
  const firsts = hosts.map(({ firstMs }) => firstMs)
  const lasts = hosts.map(({ lastMs }) => lastMs)
  const delayMs = delayS * 1000
  const gaps = hosts.length * (pagesPerHost - 1) // the delay stands between requests: the first of a host is free
  const wholePerS = (gaps * 1000) / (Math.max(...lasts) - Math.min(...firsts))
  const takenMs = hosts.reduce((sum, { firstMs, lastMs }) => sum + lastMs - firstMs, 0)
  const fromMs = Math.max(...firsts)
  const steadyMs = Math.floor((Math.min(...lasts) - fromMs) / delayMs) * delayMs // whole delays: hosts that began together ask together
  const steadyPages = pageTimesMs.filter(timeMs => timeMs > fromMs && timeMs <= fromMs + steadyMs).length
  return { wholePerS, steadyPerS: steadyMs > 0 ? (steadyPages * 1000) / steadyMs : wholePerS, hostShare: (gaps * delayMs) / takenMs }
}
