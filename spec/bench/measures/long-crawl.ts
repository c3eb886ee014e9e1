import { join } from 'node:path'
import { listSegments } from '../../../lib/segment/segment.js'
import { figure, type Measure } from '../measure.js'
import { useFields } from '../measured-child.js'
import { benchSite } from '../servers/bench-site.js'
import { checkLinks } from './check-links.js'
import { crawlSite } from './crawl-site.js'

/** Whether a crawl slows down or grows with what it has done. */
export const longCrawlMeasure: Measure = {
  name: 'long-crawl',
  title: ({ sizes }) => `Crawl of ${sizes.longCrawlPages} pages: the rate of its end against that of its beginning`,
  async round(bench) {
    const site = await benchSite(bench)
    return bench.withFolder(async folder => {
      const run = await crawlSite(bench, site, folder, bench.sizes.longCrawlPages)
      const { links } = await checkLinks(folder, site, 2000)
      const ends = await fetchEnds(folder)
      const tenth = Math.floor(ends.length / 10)
      const first = rateBetween(ends, 0, tenth)
      const last = rateBetween(ends, ends.length - 1 - tenth, ends.length - 1)
      const figures = [
        { name: 'millrace', value: (run.fetched * 1000) / run.elapsedMs, unit: 'pages/s', ...useFields(run), notes: { 'links checked': links } },
        figure(bench, {
          name: 'last 10 % / first 10 %',
          value: last / first,
          unit: '×',
          target: { atLeast: 0.9 },
          notes: { 'first, pages/s': Math.round(first), 'last, pages/s': Math.round(last) },
        }),
      ]
      if (run.peakBytes === undefined) return figures
      return [...figures, figure(bench, { name: 'peak memory', value: run.peakBytes / 1_000_000, unit: 'MB', target: { atMost: 400 } })]
    })
  },
}

/** When each page was there, in order, epoch ms. */
async function fetchEnds(crawlFolder: string): Promise<number[]> {
  const ends: number[] = []
  for (const segment of await listSegments(join(crawlFolder, 'segments'))) {
    for await (const batch of segment.readOutcomes()) for (const { status, timing } of batch) if (status === 'fetch_success') ends.push(timing.endMs)
  }
  return ends.sort((a, b) => a - b)
}

function rateBetween(ends: readonly number[], from: number, to: number): number {
  return ((to - from) * 1000) / Math.max(1, (ends[to] ?? 0) - (ends[from] ?? 0))
}
