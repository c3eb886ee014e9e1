import type { LinkConfig } from '../config/link-options.js'
import { hostOf, registeredDomainOf } from './hosts.js'

/** Why a link is ignored: `db.ignore.internal.links` or `db.ignore.external.links`. */
export type IgnoredLink = 'internal' | 'external'

/** For the links of one page: tells of a target whether a link to it is ignored, and why. `isExempt` lets external ones through. */
export function ignoredLinksOf(
  pageUrl: string,
  { ignoresInternal, ignoresExternal, ignoreMode }: LinkConfig,
  isExempt: (target: string) => boolean = () => false,
): (target: string) => IgnoredLink | undefined {
  if (!ignoresInternal && !ignoresExternal) return () => undefined
  const groupOf = (url: string): string => (ignoreMode === 'byDomain' ? registeredDomainOf(hostOf(url)) : hostOf(url))
  const ownGroup = groupOf(pageUrl)
  return target => {
    const isInternal = groupOf(target) === ownGroup
    if (ignoresInternal && isInternal) return 'internal'
    return ignoresExternal && !isInternal && !isExempt(target) ? 'external' : undefined
  }
}
