import { crawlFields } from './crawl-options.js'
import { dbFields } from './db-options.js'
import { fetchFields } from './fetch-options.js'
import type { ConfigOf } from './field.js'
import { generateFields } from './generate-options.js'
import { httpFields } from './http-options.js'
import { indexFields } from './index-options.js'
import { linkFields } from './link-options.js'
import { metricsFields } from './metrics-options.js'
import { parseFields } from './parse-options.js'
import { robotsFields } from './robots-options.js'
import { scheduleFields } from './schedule-options.js'
import { scoreFields } from './score-options.js'
import { segmentFields } from './segment-options.js'
import { signatureFields } from './signature-options.js'
import { sitemapFields } from './sitemap-options.js'
import { urlFields } from './url-options.js'

/** Every option there is, by group. Help, README and checks read this one table. */
export const optionGroups = {
  crawl: crawlFields,
  url: urlFields,
  db: dbFields,
  generate: generateFields,
  http: httpFields,
  fetch: fetchFields,
  robots: robotsFields,
  parse: parseFields,
  signature: signatureFields,
  schedule: scheduleFields,
  score: scoreFields,
  link: linkFields,
  segment: segmentFields,
  index: indexFields,
  metrics: metricsFields,
  sitemap: sitemapFields,
} as const

export type GroupName = keyof typeof optionGroups
/** The whole configuration, parsed and frozen; each stage is given the group it needs. */
export type Config = { readonly [Name in GroupName]: ConfigOf<(typeof optionGroups)[Name]> }
