import type { ScoreConfig } from '../config/score-options.js'
import { suggestion } from '../config/suggestion.js'
import { CrawlError } from '../errors/crawl-error.js'
import { finiteFloat32 } from '../record/float32.js'
import { noMetadata } from '../record/metadata.js'
import type { DbDatum, Link } from '../record/records.js'
import { metadataScoring, urlmetaScoring } from './carry-metadata.js'
import { depthScoring } from './depth.js'
import { opicScoring } from './opic.js'
import { orphanScoring } from './orphan.js'
import type { DistributedPage, ScoreUpdate, ScoringFilter } from './scoring-filter.js'

/** The scoring filters of `scoring.filter.order`, one after the other. Every score and sort value that comes out is a finite float32. */
export interface Scoring {
  /** Changes whenever sort values would: an index by sort value that was built with another is of no use. */
  readonly fingerprint: string
  injected(datum: DbDatum): DbDatum
  initial(datum: DbDatum): DbDatum
  /** @param sort @defaultValue 1 */
  generatorSortValue(datum: DbDatum, sort?: number): number
  distribute(page: DistributedPage): Link[]
  update(update: ScoreUpdate): DbDatum
  orphaned(datum: DbDatum, nowMs: number): DbDatum
  /** Whether `orphaned` can change a record: only then is the scan for orphans worth its time. */
  readonly marksOrphans: boolean
  /** @param boost @defaultValue 1 */
  indexerBoost(datum: DbDatum, boost?: number): number
}

export interface ScoringParts {
  /** Filters that the order may name besides ours, as plugins bring them; those it does not name come last. */
  readonly filters?: readonly ScoringFilter[]
  /** Engine for `scoring.depth.override.pattern`, which wants one of linear time. */
  readonly compilePattern?: (pattern: string) => (text: string) => boolean
}

/** The filters that are built in. */
export const scoringNames: readonly string[] = ['opic', 'depth', 'orphan', 'metadata', 'urlmeta']

const nutchNames: Readonly<Record<string, string>> = {
  'org.apache.nutch.scoring.opic.OPICScoringFilter': 'opic',
  'org.apache.nutch.scoring.depth.DepthScoringFilter': 'depth',
  'org.apache.nutch.scoring.orphan.OrphanScoringFilter': 'orphan',
  'org.apache.nutch.scoring.metadata.MetadataScoringFilter': 'metadata',
  'org.apache.nutch.scoring.urlmeta.URLMetaScoringFilter': 'urlmeta',
  'scoring-opic': 'opic',
  'scoring-depth': 'depth',
  'scoring-orphan': 'orphan',
  'scoring-metadata': 'metadata',
}

/** @throws {CrawlError} CONFIG_INVALID if the order names an unknown filter or the depth pattern cannot be used
 *  @throws {TypeError} if there is a depth pattern and no engine */
export function createScoring(config: ScoreConfig, parts: ScoringParts = {}): Scoring {
  const filters = filtersInOrder(config, parts)
  const sorting = filters.filter(filter => filter.generatorSortValue !== undefined)
  const through = (datum: DbDatum, hook: (filter: ScoringFilter, datum: DbDatum) => DbDatum | undefined): DbDatum => {
    let result = datum
    for (const filter of filters) result = hook(filter, result) ?? result
    return withFiniteScore(result)
  }
  return {
    fingerprint: JSON.stringify(sorting.map(filter => [filter.name, filter.fingerprint ?? ''])),
    injected: datum => through(datum, (filter, before) => filter.injected?.(before)),
    initial: datum => through(datum, (filter, before) => filter.initial?.(before)),
    generatorSortValue(datum, sort = 1) {
      let value = sort
      for (const filter of sorting) value = finiteFloat32(filter.generatorSortValue?.(datum, value) ?? value)
      return finiteFloat32(value)
    },
    distribute: page => distribute(filters, page),
    update(update) {
      let datum = update.datum
      for (const filter of filters) datum = filter.update?.(datum === update.datum ? update : { ...update, datum }) ?? datum
      return withFiniteScore(datum)
    },
    orphaned: (datum, nowMs) => through(datum, (filter, before) => filter.orphaned?.(before, nowMs)),
    marksOrphans: filters.some(filter => filter.orphaned !== undefined),
    indexerBoost(datum, boost = 1) {
      let value = boost
      for (const filter of filters) value = finiteFloat32(filter.indexerBoost?.(datum, value) ?? value)
      return finiteFloat32(value)
    },
  }
}

function distribute(filters: readonly ScoringFilter[], page: DistributedPage): Link[] {
  let links: readonly Link[] = page.links.map(({ url, anchor }) => ({ from: page.from.url, to: url, anchor, score: 0, metadata: noMetadata }))
  for (const filter of filters) links = filter.distribute?.(page, links) ?? links
  return links.map(link => {
    const score = finiteFloat32(link.score)
    return score === link.score ? link : { ...link, score }
  })
}

function withFiniteScore(datum: DbDatum): DbDatum {
  const score = finiteFloat32(datum.score)
  return score === datum.score ? datum : { ...datum, score }
}

function filtersInOrder(config: ScoreConfig, { filters: others = [], compilePattern }: ScoringParts): ScoringFilter[] {
  const made: Readonly<Record<string, () => ScoringFilter[]>> = {
    opic: () => [opicScoring(config)],
    depth: () => [depthScoring(config, overrideTest(config.depthOverridePattern, compilePattern))],
    orphan: () => [orphanScoring(config)],
    metadata: () => [metadataScoring(config), urlmetaScoring(config)],
    urlmeta: () => [urlmetaScoring(config)],
    ...Object.fromEntries(others.map(filter => [filter.name, () => [filter]])),
  }
  const names = config.order.flatMap(text => text.split(/\s+/).filter(word => word !== '')).map(name => nutchNames[name] ?? name)
  const unknown = names.filter(name => !Object.hasOwn(made, name)).map(name => `${name}${suggestion(name, Object.keys(made))}`)
  if (unknown.length > 0) throw new CrawlError('CONFIG_INVALID', `scoring.filter.order: no such scoring filter: ${unknown.join(', ')}`)
  const order = new Set([...names, ...others.map(filter => filter.name)])
  return [...order].flatMap(name => made[name]?.() ?? [])
}

function overrideTest(pattern: string, compile: ScoringParts['compilePattern']): ((text: string) => boolean) | undefined {
  if (pattern === '') return undefined
  if (compile === undefined) throw new TypeError('scoring.depth.override.pattern wants compilePattern')
  try {
    return compile(pattern)
  } catch (cause) {
    throw new CrawlError('CONFIG_INVALID', `scoring.depth.override.pattern cannot be used: ${pattern}`, { cause })
  }
}
