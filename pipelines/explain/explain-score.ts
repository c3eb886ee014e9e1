import type { Config } from '../../lib/config/options.js'
import { parseJsonObject } from '../../lib/record/line-format.js'
import { metadataKeys } from '../../lib/record/metadata.js'
import { linkFromJson } from '../../lib/record/parse-json.js'
import type { DbDatum } from '../../lib/record/records.js'
import type { Url } from '../../lib/record/url.js'
import { bestLinks } from '../../lib/score/best-links.js'
import type { Scoring } from '../../lib/score/create-scoring.js'
import { exactSumFloat32 } from '../../lib/score/exact-sum.js'
import { parts } from '../../lib/segment/part-names.js'
import { readByteBatches } from '../../lib/segment/read-lines.js'
import type { Segment } from '../../lib/segment/segment.js'

/** What a score consists of, as far as segments still tell. */
export interface ScoreExplanation {
  readonly score: number
  /** What generate sorts by. */
  readonly sortValue: number
  /** The filters of `scoring.filter.order`. */
  readonly filters: readonly string[]
  readonly depth?: number
  /** Sum of the contributions below. */
  readonly fromLinks: number
  /** What the score was before: its start, and contributions of segments that were not looked at. */
  readonly before: number
  /** Largest first; those beyond the limit are only in the sum. */
  readonly contributions: readonly Contribution[]
  readonly contributionCount: number
}

export interface Contribution {
  readonly segment: string
  readonly from: Url
  readonly score: number
}

const shownContributions = 10

/** @param segments those whose links count as terms; each is searched through */
export async function explainScore(datum: DbDatum, segments: readonly Segment[], config: Config, scoring: Scoring): Promise<ScoreExplanation> {
  const contributions: Contribution[] = []
  for (const segment of segments) {
    // One update merges one segment as a rule; of its links only the best count.
    for (const best of bestLinks(await contributionsIn(segment, datum.url), config.db.maxInlinks)) contributions.push(best)
  }
  contributions.sort((a, b) => b.score - a.score || (a.from < b.from ? -1 : 1))
  const fromLinks = exactSumFloat32(contributions.map(({ score }) => score))
  const depth = datum.metadata[metadataKeys.depth]
  return {
    score: datum.score,
    sortValue: scoring.generatorSortValue(datum),
    filters: config.score.order,
    ...(depth === undefined ? {} : { depth: Number(depth) }),
    fromLinks,
    before: exactSumFloat32([datum.score, -fromLinks]),
    contributions: contributions.slice(0, shownContributions),
    contributionCount: contributions.length,
  }
}

/** Link lines stand with the page that they come from, so they are found by their bytes. */
async function contributionsIn(segment: Segment, url: Url): Promise<Contribution[]> {
  const lead = Buffer.from(`${url}\t{"status":"linked"`)
  const found: Contribution[] = []
  for await (const { bytes } of readByteBatches(segment.pathOf(parts.crawlParse))) {
    for (let at = bytes.indexOf(lead); at >= 0; at = bytes.indexOf(lead, at + 1)) {
      if (at > 0 && bytes[at - 1] !== 10) continue
      const json = bytes.toString('utf8', at + Buffer.byteLength(url) + 1, bytes.indexOf(10, at))
      const { from, score } = linkFromJson(url, parseJsonObject(json))
      found.push({ segment: segment.name, from, score })
    }
  }
  return found
}
