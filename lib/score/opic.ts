import type { ScoreConfig } from '../config/score-options.js'
import { finiteFloat32 } from '../record/float32.js'
import type { DbDatum } from '../record/records.js'
import { hostOf } from '../url/hosts.js'
import { exactSumFloat32, sumOfTwoFloat32 } from './exact-sum.js'
import type { LinkContribution, ScoringFilter } from './scoring-filter.js'

/** A page hands its score to its links in equal parts and keeps it; a page's score is what it had plus what its inlinks brought (Nutch's
 *  OPICScoringFilter, after Abiteboul, Preda and Cobena 2003). */
export function opicScoring(config: ScoreConfig): ScoringFilter {
  return {
    name: 'opic',
    fingerprint: 'score',
    initial: datum => withScore(datum, 0),
    generatorSortValue: (datum, sort) => datum.score * sort,
    distribute({ from, extractedCount }, links) {
      const count = config.countsFiltered ? Math.max(extractedCount, links.length) : links.length
      if (count === 0) return links
      const share = finiteFloat32(finiteFloat32(from.score) / count)
      const internal = finiteFloat32(share * config.internalFactor)
      const external = finiteFloat32(share * config.externalFactor)
      const host = hostOf(from.url)
      return links.map(link => ({ ...link, score: hostOf(link.to) === host ? internal : external }))
    },
    update: ({ old, datum, links }) => withScore(datum, scoreWithLinks((old ?? datum).score, links)),
    indexerBoost: (datum, boost) => Math.max(0, datum.score) ** config.indexPower * boost,
  }
}

function withScore(datum: DbDatum, score: number): DbDatum {
  return datum.score === score ? datum : { ...datum, score }
}

/** Most pages of a merge have one link. */
function scoreWithLinks(score: number, links: readonly LinkContribution[]): number {
  const [first] = links
  return first !== undefined && links.length === 1 ? sumOfTwoFloat32(score, first.score) : exactSumFloat32([score, ...links.map(link => link.score)])
}
