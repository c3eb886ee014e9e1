import type { Measure } from './measure.js'
import { continuousMeasure } from './measures/continuous.js'
import { crawlMeasure } from './measures/crawl.js'
import { generateMeasure } from './measures/generate.js'
import { hostileMeasure } from './measures/hostile.js'
import { injectMeasure } from './measures/inject.js'
import { longCrawlMeasure } from './measures/long-crawl.js'
import { fetchMeasure, parseMeasure, urlsMeasure } from './measures/one-core.js'
import { politenessMeasure } from './measures/politeness.js'
import { resumeMeasure } from './measures/resume.js'
import { statsMeasure } from './measures/stats.js'
import { linkUpdateMeasure, pageUpdateMeasure } from './measures/updatedb.js'

/** All measures, in the order they run and are reported. */
export const measures: readonly Measure[] = [
  crawlMeasure,
  longCrawlMeasure,
  linkUpdateMeasure,
  pageUpdateMeasure,
  injectMeasure,
  statsMeasure,
  generateMeasure,
  resumeMeasure,
  politenessMeasure,
  continuousMeasure,
  hostileMeasure,
  urlsMeasure,
  parseMeasure,
  fetchMeasure,
]
