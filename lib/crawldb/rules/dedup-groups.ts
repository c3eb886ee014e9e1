import { metadataKeys } from '../../record/metadata.js'
import type { DbDatum } from '../../record/records.js'
import { storedUrl, type Url } from '../../record/url.js'
import { addToList } from '../../stream/add-to-list.js'
import { hostOf, registeredDomainOf } from '../../url/hosts.js'
import { type DedupCriterion, type DedupRules, reduceDuplicates } from './dedup-rule.js'

/** Within what records are duplicates of one another. */
export const dedupGroups = ['none', 'host', 'domain'] as const
export type DedupGroup = (typeof dedupGroups)[number]

export interface GroupedDedupRules {
  /** `none`: in the whole db. */
  readonly group: DedupGroup
  readonly order: readonly DedupCriterion[]
  /** Whether a page that others of its group name as canonical is kept. */
  readonly respectsCanonical: boolean
}

/** The name of the group that a URL belongs to. */
export function dedupGroupOf(url: string, group: DedupGroup): string {
  if (group === 'none') return ''
  const host = hostOf(url)
  return group === 'host' ? host : registeredDomainOf(host)
}

/** Of all records with one signature those that change, group by group. */
export function reduceDuplicateGroups(records: readonly DbDatum[], { group, order, respectsCanonical }: GroupedDedupRules): DbDatum[] {
  const rules: DedupRules = { order, ...(respectsCanonical ? { canonicalOf } : {}) }
  const groups = new Map<string, DbDatum[]>()
  for (const datum of records) addToList(groups, dedupGroupOf(datum.url, group), datum)
  return [...groups.values()].flatMap(members => reduceDuplicates(members, rules))
}

function canonicalOf({ metadata }: DbDatum): Url | undefined {
  const canonical = metadata[metadataKeys.canonical]
  return canonical === undefined ? undefined : storedUrl(canonical)
}
