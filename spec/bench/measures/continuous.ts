import { join } from 'node:path'
import type { Bench } from '../bench.js'
import { figure, type Measure } from '../measure.js'
import { type MeasuredRun, useFields } from '../measured-child.js'
import { loopbackHosts } from '../servers/loopback.js'
import { startPageServer } from '../servers/page-plan.js'
import { acceptAll } from './crawl-site.js'
import { killWhenServed } from './kill-when-served.js'

/** Hosts that answer at once beside a few that answer late: when are the pages of the first all there? */
export const continuousMeasure: Measure = {
  name: 'continuous',
  title: ({ sizes: { slow } }) =>
    `Continuous crawl against rounds: ${slow.fastHosts} fast hosts beside ${slow.slowHosts} that take ${slow.answerMs / 1000} s to answer`,
  async round(bench) {
    const continuous = await timeToFastPages(bench, ['--until-idle'])
    const rounds = await timeToFastPages(bench, ['--rounds', '20'])
    return [
      { name: 'continuous', value: continuous.waitedMs / 1000, unit: 's', ...useFields(continuous) },
      { name: 'rounds', value: rounds.waitedMs / 1000, unit: 's', ...useFields(rounds) },
      figure(bench, { name: 'rounds / continuous', value: rounds.waitedMs / continuous.waitedMs, unit: '×', target: { atLeast: 5 } }),
    ]
  },
}

/** From the start to the last page of the fast hosts, which are found link by link; the rest of the crawl is not waited for. */
async function timeToFastPages(bench: Bench, limit: readonly string[]): Promise<MeasuredRun & { readonly waitedMs: number }> {
  const { fastHosts, slowHosts, answerMs, pagesPerHost, delayS } = bench.sizes.slow
  const [hosts, slow] = [loopbackHosts(33, fastHosts), loopbackHosts(34, slowHosts)]
  const server = await startPageServer({ hosts, slowHosts: slow, answerMs, pagesPerHost, hasLinks: true, wanted: fastHosts * pagesPerHost })
  try {
    return await bench.withFolder(async folder => {
      const seeds = [...hosts, ...slow].map(host => `http://${host}:${server.port}/`)
      const common = ['--rules', acceptAll(bench), '--allow-address', 'loopback', '-D', `fetcher.server.delay=${delayS}`, '--quiet']
      const { run, waitedMs } = await killWhenServed(server, ['crawl', join(folder, 'crawl'), ...seeds, ...limit, ...common])
      return { ...run, waitedMs }
    })
  } finally {
    await server.close()
  }
}
