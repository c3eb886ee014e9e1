import { join } from 'node:path'
import type { Bench } from '../bench.js'
import { writeLines } from '../made/made-urls.js'
import { type Figure, figure, type Measure } from '../measure.js'
import { type MeasuredRun, useFields } from '../measured-child.js'
import { type ChildServer, startChildServer } from '../servers/child-server.js'
import { loopbackHosts } from '../servers/loopback.js'
import { type PageLog, pagePath, startPageServer } from '../servers/page-plan.js'
import { acceptAll } from './crawl-site.js'
import { killWhenServed } from './kill-when-served.js'

/** What good hosts lose when as many hostile ones stand beside them. */
export const hostileMeasure: Measure = {
  name: 'hostile',
  title: ({ sizes: { hostile } }) => `${hostile.hosts} good hosts with ${hostile.pagesPerHost} pages each, alone and beside as many hostile ones`,
  async round(bench) {
    const alone = await crawlGood(bench, false)
    const beside = await crawlGood(bench, true)
    const rate = (name: string, run: GoodRun): Figure => ({ name, value: run.perS, unit: 'pages/s', ...useFields(run) })
    const share = (beside.perS / alone.perS) * 100
    return [
      rate('alone', alone),
      rate('beside hostile hosts', beside),
      figure(bench, { name: 'share', value: share, unit: '%', target: { atLeast: 90 } }),
    ]
  },
}

interface GoodRun extends MeasuredRun {
  /** Pages of good hosts per second, from the first request to the last by the server's log. */
  readonly perS: number
}

async function crawlGood(bench: Bench, hasHostile: boolean): Promise<GoodRun> {
  const { hosts, pagesPerHost } = bench.sizes.hostile
  const good = await startPageServer({ hosts: loopbackHosts(35, hosts), pagesPerHost, pageBytes: 20_000, wanted: hosts * pagesPerHost })
  const badHosts = loopbackHosts(36, hosts)
  const bad = await startChildServer('./hostile-hosts.js', { hosts: badHosts })
  try {
    return await bench.withFolder(async folder => {
      const seeds = join(folder, 'seeds.txt')
      const goodSeeds = Array.from({ length: pagesPerHost }, (_, page) =>
        loopbackHosts(35, hosts).map(host => `http://${host}:${good.port}${pagePath(page)}`),
      )
      const badSeeds = badHosts.flatMap((host, index) =>
        Array.from({ length: 10 }, (_, page) => `http://${host}:${bad.port}/${(index + page) % 8}?${page}`),
      )
      await writeLines(seeds, [...(hasHostile ? badSeeds : []), ...goodSeeds.flat()])
      return await untilServed(good, [
        ...['crawl', join(folder, 'crawl'), '--seeds', seeds, '--until-idle', '--rules', acceptAll(bench), '--allow-address', 'loopback', '--quiet'],
        ...['-D', 'fetcher.server.delay=0', '-D', `fetcher.threads.fetch=${2 * hosts}`],
      ])
    })
  } finally {
    await good.close()
    await bad.close()
  }
}

/** Ends the crawl when all pages of the good hosts were asked for. */
async function untilServed(good: ChildServer, args: readonly string[]): Promise<GoodRun> {
  const { run } = await killWhenServed(good, args)
  const { hosts } = await good.seen<PageLog>()
  const pages = hosts.reduce((sum, host) => sum + host.pages.length, 0)
  const elapsedMs = Math.max(...hosts.map(({ lastMs }) => lastMs)) - Math.min(...hosts.map(({ firstMs }) => firstMs))
  return { ...run, perS: (pages * 1000) / Math.max(1, elapsedMs) }
}
