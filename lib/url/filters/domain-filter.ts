import { domainToASCII } from 'node:url'
import { builtIn, type RuleRef } from '../../explain/decision.js'
import { hostOf, isIpHost, publicSuffixOf, registeredDomainOf } from '../hosts.js'
import { type RuleFile, ruleLinesOf } from '../rule-file.js'
import type { UrlFilter, Verdict } from './url-filter.js'

/** Nutch's DomainURLFilter: a URL passes if its public suffix, domain or host is listed. Without any rule all pass. */
export function compileDomainFilter(file: RuleFile): UrlFilter {
  const rules = rulesByName(file)
  const notListed: RuleRef = { rule: 'neither suffix, domain nor host is listed', file: file.name, line: 0 }
  return filterBy('domain', url => {
    if (rules.size === 0) return { accepted: true, by: noRules(file) }
    const by = findListed(rules, url)
    return { accepted: by !== undefined, by: by ?? notListed }
  })
}

/** Nutch's DomainDenylistURLFilter: a URL is rejected if its public suffix, domain or host is listed. */
export function compileDomainDenylistFilter(file: RuleFile): UrlFilter {
  const rules = rulesByName(file)
  return filterBy('domaindenylist', url => {
    const by = findListed(rules, url)
    return { accepted: by === undefined, by: by ?? noRules(file) }
  })
}

function filterBy(name: string, verdict: (url: string) => Verdict): UrlFilter {
  return { name, accepts: url => verdict(url).accepted, verdict }
}

const noRules = (file: RuleFile): RuleRef => ({ rule: 'no rule matches', file: file.name === '' ? builtIn : file.name, line: 0 })

/** Names in ASCII and lower case, so that an IDN host is known however it is written. */
function rulesByName(file: RuleFile): ReadonlyMap<string, RuleRef> {
  const rules = new Map<string, RuleRef>()
  for (const { number, text } of ruleLinesOf(file)) {
    const name = nameOf(text)
    if (!rules.has(name)) rules.set(name, { rule: text, file: file.name, line: number })
  }
  return rules
}

function nameOf(text: string): string {
  const name = text.toLowerCase().replace(/\.$/, '')
  return /^[\0-\x7f]*$/.test(name) ? name : domainToASCII(name) || name
}

function findListed(rules: ReadonlyMap<string, RuleRef>, url: string): RuleRef | undefined {
  const host = nameOf(hostOf(url))
  if (host === '') return undefined
  const suffix = publicSuffixOf(host) ?? (isIpHost(host) ? host : host.slice(host.lastIndexOf('.') + 1)) // of an internal network: its top level
  return rules.get(suffix) ?? rules.get(registeredDomainOf(host)) ?? rules.get(host)
}
