import { type GroupedDedupRules, reduceDuplicateGroups } from '../lib/crawldb/rules/dedup-groups.js'
import { type InjectRules, reduceInject } from '../lib/crawldb/rules/inject-rule.js'
import type { PageUpdates } from '../lib/crawldb/rules/page-updates.js'
import { reduceUpdate, type UpdateRules } from '../lib/crawldb/rules/update-rule.js'
import { CrawlError } from '../lib/errors/crawl-error.js'
import { linkSet } from '../lib/linkdb/links-codec.js'
import { datumFromJson, datumToLine, dbDatumFromJson } from '../lib/record/datum-json.js'
import { outcomeFromJson } from '../lib/record/fetch-json.js'
import { hexField, metadataField, optionalNumber, textField } from '../lib/record/json-fields.js'
import { formatLine } from '../lib/record/line-format.js'
import { linkFromJson } from '../lib/record/parse-json.js'
import type { CrawlDatum, DbDatum, FetchOutcome } from '../lib/record/records.js'
import { isDbStatus, isStatus } from '../lib/record/status.js'
import { storedUrl } from '../lib/record/url.js'
import { keyOfUrl, urlOfKey } from '../lib/record/url-key.js'
import type { LinkContribution } from '../lib/score/scoring-filter.js'
import type { LineGroup } from './sorted-lines.js'

type Json = LineGroup['values'][number]

/** Lines of one key to lines of results: pure, with no state but the group, so that a bigger engine can run it. */
export type LineReducer = (group: LineGroup) => Iterable<string>

/** Records of the db and injected records of one URL to its record. */
export function injectReducer(rules: InjectRules): LineReducer {
  return function* reduce({ key, values }) {
    const url = storedUrl(key)
    let old: DbDatum | undefined
    const injected: CrawlDatum[] = []
    for (const value of values) {
      if (isOldRecord(value)) old = newer(old, dbDatumFromJson(url, value))
      else injected.push(datumFromJson(url, value))
    }
    const next = reduceInject(old, injected, rules)
    if (next !== undefined) yield datumToLine(next)
  }
}

/** The db's record, outcomes, parses and links of one URL to its record: the same rule as the embedded updatedb. */
export function updateReducer(rules: UpdateRules): LineReducer {
  return function* reduce({ key, values }) {
    const { old, updates } = readUpdates(key, values)
    const next = reduceUpdate(old, updates, rules)
    if (next !== undefined) yield datumToLine(next)
  }
}

/** All records with one signature, keyed by it, to the same records by URL, the duplicates among them marked. */
export function dedupReducer(rules: GroupedDedupRules): LineReducer {
  return function* reduce({ values }) {
    const records = values.map(value => dbDatumFromJson(storedUrl(textField(value, 'url')), value))
    const changed = new Map(reduceDuplicateGroups(records, rules).map(datum => [datum.url, datum]))
    for (const datum of records) yield datumToLine(changed.get(datum.url) ?? datum)
  }
}

/** Links to one URL to its inlinks: one for each source and anchor, in the order of sources' keys. */
export function invertReducer(maxInlinks: number): LineReducer {
  return function* reduce({ key, values }) {
    const links = values.flatMap(value => (value.status === 'linked' ? [linkFromJson(storedUrl(key), value)] : []))
    if (links.length === 0) return
    const inlinks = linkSet(links.map(({ from, anchor }) => ({ to: keyOfUrl(from), anchor }))) // from the target's side
    yield formatLine(key, { inlinks: inlinks.slice(0, maxInlinks).map(({ to, anchor }) => ({ from: urlOfKey(to), anchor })) })
  }
}

function readUpdates(key: string, values: readonly Json[]): { readonly old: DbDatum | undefined; readonly updates: PageUpdates } {
  const url = storedUrl(key)
  const links: LinkContribution[] = []
  let old: DbDatum | undefined
  let fetch: FetchOutcome | undefined
  let parse: PageUpdates['parse']
  for (const value of values) {
    if (isOldRecord(value)) old = newer(old, dbDatumFromJson(url, value))
    else if (value.status === 'linked') links.push(linkOf(url, value))
    else if (typeof value.protocolStatus === 'string') {
      const outcome = outcomeFromJson(url, value)
      if (fetch === undefined || outcome.timing.endMs >= fetch.timing.endMs) fetch = outcome
    } else if (typeof value.title === 'string' || isPageLine(value)) parse = parseOf(value)
    else throw new CrawlError('LINE_INVALID', `${key}: neither a record, an outcome, a parse nor a link`)
  }
  return { old, updates: { url, links, ...(fetch === undefined ? {} : { fetch }), ...(parse === undefined ? {} : { parse }) } }
}

/** The line of a page in a segment's crawl_parse. */
function isPageLine({ status }: Json): boolean {
  return status === 'signature' || status === 'parse_failed' || status === 'parse_metadata'
}

function parseOf(value: Json): NonNullable<PageUpdates['parse']> {
  const signature = hexField(value, 'signature')
  return {
    status: value.status === 'failed' || value.status === 'parse_failed' ? 'parse_failed' : 'signature',
    ...(signature === undefined || signature.length === 0 ? {} : { signature }),
    metadata: metadataField(value),
  }
}

function linkOf(url: CrawlDatum['url'], value: Json): LinkContribution {
  const fetchIntervalS = optionalNumber(value, 'fetchIntervalS')
  return { ...linkFromJson(url, value), ...(fetchIntervalS === undefined ? {} : { fetchIntervalS }) }
}

function isOldRecord(value: Json): boolean {
  return typeof value.status === 'string' && isStatus(value.status) && isDbStatus(value.status)
}

function newer(a: DbDatum | undefined, b: DbDatum): DbDatum {
  return a === undefined || b.fetchTimeMs >= a.fetchTimeMs ? b : a
}
