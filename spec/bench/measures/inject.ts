import { join } from 'node:path'
import type { Bench } from '../bench.js'
import { dbBytes, dbTimeMs, linkCrawl, madeDb } from '../made/made-db.js'
import { scatteredSeeds, writeLines } from '../made/made-urls.js'
import { type Figure, figure, type Measure } from '../measure.js'
import { type MeasuredRun, runMillrace, useFields } from '../measured-child.js'
import { millions, mostlyDue } from './db-sizes.js'

/** Seeds on stdin: many into an empty db, a few more into that one and into a large one. */
export const injectMeasure: Measure = {
  name: 'inject',
  title: ({ sizes }) => `inject of ${millions(sizes.seeds)} seeds on stdin into an empty db, then of ${millions(sizes.moreSeeds)} more`,
  round: bench =>
    bench.withFolder(async folder => {
      const { seeds, moreSeeds, largeDb } = bench.sizes
      const crawl = join(folder, 'crawl')
      const first = await injectSeeds(bench, crawl, seeds, 0)
      const bytes = dbBytes(crawl) / seeds
      const second = await injectSeeds(bench, crawl, moreSeeds, seeds)
      const large = join(folder, 'large')
      linkCrawl(await madeDb(bench, mostlyDue(largeDb)), large)
      const third = await injectSeeds(bench, large, moreSeeds, largeDb)
      const figures: Figure[] = [
        figure(bench, { name: 'seeds', value: (seeds * 1000) / first.elapsedMs, unit: 'seeds/s', target: { atLeast: 100_000 }, ...useFields(first) }),
        figure(bench, { name: 'bytes a URL', value: bytes, unit: 'B', target: { atMost: 100 } }),
        seconds(bench, `${moreSeeds} more, db of ${millions(seeds)}`, second),
        seconds(bench, `${moreSeeds} more, db of ${millions(largeDb)}`, third),
      ]
      if (first.peakBytes === undefined) return figures
      return [...figures, figure(bench, { name: 'peak memory', value: first.peakBytes / 1_000_000, unit: 'MB', target: { atMost: 400 } })]
    }),
}

function seconds(bench: Bench, name: string, run: MeasuredRun): Figure {
  return figure(bench, { name, value: run.elapsedMs / 1000, unit: 's', target: { atMost: 2 }, ...useFields(run) })
}

/** Injects `count` seeds from number `from` on. @throws if not all of them were new */
async function injectSeeds(bench: Bench, crawl: string, count: number, from: number): Promise<MeasuredRun> {
  const file = await bench.once(`seeds ${count} ${from}`, async () => {
    const path = join(bench.cacheFolder, `seeds-${count}-${from}.txt`)
    await writeLines(path, scatteredSeeds(count, from))
    return path
  })
  const run = await runMillrace(['inject', crawl, '--now', `${dbTimeMs}`, '--quiet'], { stdinFile: file })
  const { added } = JSON.parse(run.stdout) as { readonly added: number } // what inject prints
  if (added !== count) throw new Error(`inject added ${added} of ${count} seeds`)
  return run
}
