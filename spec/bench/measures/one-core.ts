import { fileURLToPath } from 'node:url'
import type { Bench } from '../bench.js'
import type { FetchRates } from '../fetch-bench.js'
import { type Figure, figure, type Measure } from '../measure.js'
import { startMeasured, useFields } from '../measured-child.js'
import type { ParseRates } from '../parse-bench.js'
import type { UrlRates } from '../url-bench.js'

const child = fileURLToPath(new URL('./one-core-child.js', import.meta.url))

type MeasuredFigure = (name: string, value: number, unit: string, atLeast?: number) => Figure

/** Runs a function's own measure in a process of its own. */
async function inChild<T>(bench: Bench, name: string, count: number): Promise<{ readonly rates: T; readonly take: MeasuredFigure }> {
  const run = await startMeasured(process.execPath, [child, name, `${count}`, `${bench.sizes.innerRounds}`]).result
  const take: MeasuredFigure = (figureName, value, unit, atLeast) =>
    figure(bench, { name: figureName, value, unit, ...useFields(run), ...(atLeast === undefined ? {} : { target: { atLeast } }) })
  return { rates: JSON.parse(run.stdout) as T, take } // the child prints what the function of that name gives
}

export const urlsMeasure: Measure = {
  name: 'urls',
  title: () => 'URLs normalized and filtered by the default chains, on one core',
  async round(bench) {
    const { rates, take } = await inChild<UrlRates>(bench, 'urls', bench.sizes.urls)
    return [
      take('normalize', rates.normalizePerS, 'URLs/s', 400_000),
      take('normalize, all with something to change', rates.normalizeRoughPerS, 'URLs/s'),
      take('the platform’s URL parser alone', rates.platformParserPerS, 'URLs/s'),
      take('filter', rates.filterPerS, 'URLs/s', 1_000_000),
    ]
  },
}

export const parseMeasure: Measure = {
  name: 'parse',
  title: () => 'HTML parsed with links, text and signature, on one core',
  async round(bench) {
    const { rates, take } = await inChild<ParseRates>(bench, 'parse', bench.sizes.parsePages)
    return [
      take('htmlparser2, MD5', rates.parseMBPerS, 'MB/s', 60),
      take('with outlinks normalized and chosen', rates.withOutlinksMBPerS, 'MB/s'),
      take('with TextProfile', rates.textProfileMBPerS, 'MB/s'),
      take('sax in loose mode', rates.saxMBPerS, 'MB/s'),
    ]
  },
}

export const fetchMeasure: Measure = {
  name: 'fetch',
  title: ({ sizes }) => `${sizes.fetchPages} pages of 22 kB fetched by the fetch stage alone, and beside hosts that hold their connections`,
  async round(bench) {
    const { rates, take } = await inChild<FetchRates>(bench, 'fetch', bench.sizes.fetchPages)
    return [take('alone', rates.perS, 'pages/s'), take('beside hostile hosts', rates.besideHostilePerS, 'pages/s')]
  },
}
