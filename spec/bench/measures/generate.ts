import type { Bench } from '../bench.js'
import { dbTimeMs, linkCrawl, type MadeDb, madeDb } from '../made/made-db.js'
import { urlsPerHost } from '../made/made-urls.js'
import { type Figure, figure, type Measure } from '../measure.js'
import { runMillrace, useFields } from '../measured-child.js'
import { millions, mostlyDue } from './db-sizes.js'

/** A fetch list of the best: its cost must be that of the list, not of what is due or of the db. */
export const generateMeasure: Measure = {
  name: 'generate',
  title: ({ sizes }) =>
    `generate --top-n ${sizes.topN} from a db of ${millions(sizes.largeDb)} URLs on ${millions(sizes.largeDb / urlsPerHost)} hosts`,
  async round(bench) {
    const { largeDb, fewDue } = bench.sizes
    return [await generateFrom(bench, { urls: largeDb, due: fewDue }), await generateFrom(bench, mostlyDue(largeDb))]
  },
}

async function generateFrom(bench: Bench, made: MadeDb): Promise<Figure> {
  const db = await madeDb(bench, made)
  return bench.withFolder(async folder => {
    linkCrawl(db, folder)
    const { topN } = bench.sizes
    const args = ['generate', folder, '--top-n', `${topN}`, '--now', `${dbTimeMs}`, '--log-format', 'json']
    const run = await runMillrace(args)
    const items = Number(/"items":(\d+)/.exec(run.stderr)?.[1])
    if (items !== topN) throw new Error(`generate selected ${items} of ${topN}`)
    return figure(bench, { name: `${millions(made.due)} due`, value: run.elapsedMs / 1000, unit: 's', target: { atMost: 1 }, ...useFields(run) })
  })
}
