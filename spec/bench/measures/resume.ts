import { dbTimeMs, linkCrawl, madeDb } from '../made/made-db.js'
import { figure, type Measure } from '../measure.js'
import { useFields } from '../measured-child.js'
import { startPageServer } from '../servers/page-plan.js'
import { acceptAll } from './crawl-site.js'
import { millions, mostlyDue } from './db-sizes.js'
import { killWhenServed } from './kill-when-served.js'

/** How long a crawl that is started again takes until it asks a server for something. */
export const resumeMeasure: Measure = {
  name: 'resume',
  title: ({ sizes }) => `Start to first request of a resumed crawl, ${millions(sizes.largeDb)} URLs in the db`,
  async round(bench) {
    const db = await madeDb(bench, mostlyDue(bench.sizes.largeDb))
    return bench.withFolder(async folder => {
      linkCrawl(db, folder)
      const rules = acceptAll(bench)
      await crawlUntil(rules, folder, 50)
      const { waitedMs, ...use } = await crawlUntil(rules, folder, 1)
      return [figure(bench, { name: 'first request', value: waitedMs / 1000, unit: 's', target: { atMost: 1.5 }, ...use })]
    })
  },
}

/** Kills a crawl at a number of requests, which a proxy answers for all the hosts that the db made up, so that no name is looked up. */
async function crawlUntil(rules: string, folder: string, requests: number): Promise<{ readonly waitedMs: number }> {
  const server = await startPageServer({ hosts: ['127.0.0.1'], pagesPerHost: 1, isProxy: true, wanted: requests })
  try {
    const options = ['http.proxy.host=127.0.0.1', `http.proxy.port=${server.port}`, 'fetcher.server.delay=0']
    const limits = ['--until-idle', '--rules', rules, '--allow-address', 'loopback', '--now', `${dbTimeMs}`, '--quiet']
    const { run, waitedMs } = await killWhenServed(server, ['crawl', folder, ...limits, ...options.flatMap(option => ['-D', option])])
    return { waitedMs, ...useFields(run) }
  } finally {
    await server.close()
  }
}
