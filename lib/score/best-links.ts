import type { LinkContribution } from './scoring-filter.js'

/** What links are ordered by. */
export type RankedLink = Pick<LinkContribution, 'from' | 'score'>

/** Better first: higher score, then lower source URL, compared by code units; so the choice does not depend on the order of arrival. */
export function compareLinks(a: RankedLink, b: RankedLink): number {
  return b.score - a.score || (a.from < b.from ? -1 : a.from > b.from ? 1 : 0)
}

/** The best `max` of `links`, best first. Does not change `links`. */
export function bestLinks<Link extends RankedLink>(links: readonly Link[], max: number): readonly Link[] {
  if (links.length < 2) return links.slice(0, max)
  const sorted = [...links].sort(compareLinks)
  return sorted.length > max ? sorted.slice(0, max) : sorted
}

/** The best of `links`; undefined if there is none. */
export function bestLink(links: readonly LinkContribution[]): LinkContribution | undefined {
  let best = links[0]
  for (const link of links) if (best === undefined || compareLinks(link, best) < 0) best = link
  return best
}
