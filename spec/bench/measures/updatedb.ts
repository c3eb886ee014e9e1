import type { Bench } from '../bench.js'
import { dbTimeMs, linkCrawl, madeDb } from '../made/made-db.js'
import { copySegment, type MadeSegment, madeSegment } from '../made/made-segment.js'
import { type Figure, figure, type Measure, type Target } from '../measure.js'
import { type MeasuredRun, runMillrace, useFields } from '../measured-child.js'
import { millions, mostlyDue } from './db-sizes.js'

interface UpdateCase {
  readonly name: string
  readonly what: string
  size(bench: Bench): Pick<MadeSegment, 'pages' | 'links'>
  readonly least?: Target
  readonly maxPeakMB: number
}

/** Merging a segment into a small and into a large CrawlDb: the cost must be that of the segment, not of the db. */
function updateMeasure({ name, what, size, least, maxPeakMB }: UpdateCase): Measure {
  return {
    name,
    title: bench => {
      const { pages, links } = size(bench)
      return `updatedb of ${pages * links} ${what} (${pages} pages), into a db of ${millions(bench.sizes.smallDb)} and of ${millions(bench.sizes.largeDb)} URLs`
    },
    async round(bench) {
      const { smallDb, largeDb } = bench.sizes
      const figures: Figure[] = []
      const rates: number[] = []
      for (const urls of [smallDb, largeDb]) {
        const made = { urls, ...size(bench) }
        const run = await mergeInto(bench, made)
        const rate = (made.pages * made.links * 1000) / run.elapsedMs
        rates.push(rate)
        const label = `into ${millions(urls)}`
        figures.push(
          figure(bench, { name: label, value: rate, unit: 'links/s', ...useFields(run), ...(least === undefined ? {} : { target: least }) }),
        )
        if (run.peakBytes === undefined) continue
        const peak = { name: `peak memory, ${label}`, value: run.peakBytes / 1_000_000, unit: 'MB' }
        figures.push(figure(bench, { ...peak, target: { atMost: maxPeakMB } }))
        figures.push(figure(bench, { name: `of it without mapped tables, ${label}`, value: (run.peakOwnBytes ?? 0) / 1_000_000, unit: 'MB' }))
      }
      const ratio = (rates[1] ?? 0) / (rates[0] ?? 1)
      return [...figures, figure(bench, { name: 'large db / small db', value: ratio, unit: '×', target: { atLeast: 0.8 } })]
    },
  }
}

async function mergeInto(bench: Bench, made: MadeSegment): Promise<MeasuredRun> {
  const [db, segments] = [await madeDb(bench, mostlyDue(made.urls)), await madeSegment(bench, made)]
  return bench.withFolder(async folder => {
    linkCrawl(db, folder)
    copySegment(segments, folder)
    const run = await runMillrace(['updatedb', folder, '--now', `${dbTimeMs}`, '--quiet'])
    const report = JSON.parse(run.stdout) as { readonly updates: number; readonly added: number } // what updatedb prints
    const least = made.pages * made.links
    if (report.updates < least || report.added === 0) throw new Error(`updatedb merged ${run.stdout.trim()}, at least ${least} updates were there`)
    return run
  })
}

export const linkUpdateMeasure = updateMeasure({
  name: 'updatedb',
  what: 'link records, nine in ten with a target of their own, half of the targets in the db',
  size: ({ sizes }) => sizes.linkUpdate,
  least: { atLeast: 120_000 },
  maxPeakMB: 500,
})

export const pageUpdateMeasure = updateMeasure({
  name: 'updatedb-pages',
  what: 'link records',
  size: ({ sizes }) => sizes.pageUpdate,
  maxPeakMB: 500,
})
