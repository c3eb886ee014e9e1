import type { ScoreConfig } from '../config/score-options.js'
import type { DistributedPage, ScoringFilter } from './scoring-filter.js'

/** Carries metadata from a page to the pages it links to: parse metadata named in `scoring.parse.md`, to which CrawlDb metadata comes that
 *  `scoring.db.md` and `scoring.content.md` both name (Nutch's MetadataScoringFilter). */
export function metadataScoring(config: ScoreConfig): ScoringFilter {
  const handed = new Set(config.dbMetadataKeys.filter(key => config.contentMetadataKeys.includes(key)))
  const carry = ({ from, parseMetadata }: DistributedPage): Record<string, string> => {
    const carried: Record<string, string> = {}
    for (const key of config.parseMetadataKeys) {
      const value = own(parseMetadata, key) ?? (handed.has(key) ? own(from.metadata, key) : undefined)
      if (value !== undefined) carried[key] = value
    }
    return carried
  }
  return carrying('metadata', carry)
}

/** Carries the seed's metadata named in `urlmeta.tags` to every page reached from it (Nutch's URLMetaScoringFilter). */
export function urlmetaScoring(config: ScoreConfig): ScoringFilter {
  return carrying('urlmeta', ({ from }) => {
    const carried: Record<string, string> = {}
    for (const key of config.urlmetaTags) {
      const value = own(from.metadata, key)
      if (value !== undefined) carried[key] = value
    }
    return carried
  })
}

function carrying(name: string, carry: (page: DistributedPage) => Record<string, string>): ScoringFilter {
  return {
    name,
    distribute(page, links) {
      const carried = carry(page)
      if (Object.keys(carried).length === 0) return links
      return links.map(link => ({ ...link, metadata: { ...link.metadata, ...carried } }))
    },
  }
}

function own(metadata: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(metadata, key) ? metadata[key] : undefined
}
