import type { ScoreConfig } from '../config/score-options.js'
import { type Metadata, metadataKeys } from '../record/metadata.js'
import type { Url } from '../record/url.js'
import type { ScoringFilter } from './scoring-filter.js'

/** Counts the links between a page and its seed, drops the links of pages at the limit, and takes pages near their seed first (Nutch's
 *  DepthScoringFilter). A page of which no depth is known counts as a seed when its links are followed. */
export function depthScoring(config: ScoreConfig, matches: ((text: string) => boolean) | undefined): ScoringFilter {
  const limitOf = (url: Url, metadata: Metadata): number =>
    depthIn(metadata, metadataKeys.maxDepth) ?? (matches?.(url) ? config.depthMaxOverride : config.depthMax)
  return {
    name: 'depth',
    fingerprint: JSON.stringify(['depth', config.depthMax, matches === undefined ? [] : [config.depthOverridePattern, config.depthMaxOverride]]),
    injected: datum => ({ ...datum, metadata: { ...datum.metadata, [metadataKeys.depth]: '1' } }),
    generatorSortValue({ url, metadata }, sort) {
      const limit = limitOf(url, metadata)
      return sort * (1 + limit - (depthIn(metadata, metadataKeys.depth) ?? limit))
    },
    distribute({ from: { url, metadata } }, links) {
      const depth = depthIn(metadata, metadataKeys.depth) ?? 1
      if (depth >= limitOf(url, metadata)) return []
      const carried: Record<string, string> = { [metadataKeys.depth]: String(depth + 1) }
      const own = metadata[metadataKeys.maxDepth]
      if (own !== undefined) carried[metadataKeys.maxDepth] = own
      return links.map(link => ({ ...link, metadata: { ...link.metadata, ...carried } }))
    },
    update({ old, datum, links }) {
      let least = least2(depthIn(datum.metadata, metadataKeys.depth), old && depthIn(old.metadata, metadataKeys.depth))
      for (const { metadata } of links) least = least2(least, depthIn(metadata, metadataKeys.depth))
      if (least === undefined || datum.metadata[metadataKeys.depth] === String(least)) return datum
      return { ...datum, metadata: { ...datum.metadata, [metadataKeys.depth]: String(least) } }
    },
  }
}

/** A whole number from 0 on, or undefined. */
function depthIn(metadata: Metadata, key: string): number | undefined {
  const text = metadata[key]
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

function least2(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b)
}
