import type { Bench } from '../bench.js'
import { dbBytes, linkCrawl, madeDb } from '../made/made-db.js'
import { type Figure, figure, type Measure } from '../measure.js'
import { runMillrace, useFields } from '../measured-child.js'
import { millions, mostlyDue } from './db-sizes.js'

/** A question that reads every record. */
export const statsMeasure: Measure = {
  name: 'stats',
  title: ({ sizes }) => `readdb --stats over ${millions(sizes.smallDb)} and over ${millions(sizes.largeDb)} URLs`,
  async round(bench) {
    const { smallDb, largeDb } = bench.sizes
    return [...(await statsOf(bench, smallDb)), ...(await statsOf(bench, largeDb))]
  },
}

async function statsOf(bench: Bench, urls: number): Promise<Figure[]> {
  const db = await madeDb(bench, mostlyDue(urls))
  return bench.withFolder(async folder => {
    linkCrawl(db, folder)
    const run = await runMillrace(['readdb', folder, '--stats', '--quiet'])
    if (Number(/TOTAL urls:\s*(\d+)/.exec(run.stdout)?.[1]) !== urls) throw new Error(`readdb --stats counts otherwise:\n${run.stdout.slice(0, 500)}`)
    const value = (urls * 1000) / run.elapsedMs
    const target = { atLeast: 500_000 }
    const rate = { name: `over ${millions(urls)}`, value, unit: 'records/s', ...useFields(run) }
    const bytes = { name: `bytes a URL, ${millions(urls)}`, value: dbBytes(folder) / urls, unit: 'B', target: { atMost: 100 } }
    return [figure(bench, urls === bench.sizes.largeDb ? { ...rate, target } : rate), figure(bench, bytes)]
  })
}
