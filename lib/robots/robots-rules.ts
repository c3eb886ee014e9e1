import { matchablePath, matchesPath, type PathPattern } from './path-pattern.js'

export interface RobotsRule {
  readonly allows: boolean
  readonly pattern: PathPattern
  /** The line without its comment. */
  readonly text: string
  /** 1 for the first line of the file; null for what stands in none. */
  readonly line: number | null
}

export interface RobotsGroup {
  /** Product tokens in lower case, or `*`. */
  readonly agents: readonly string[]
  readonly rules: readonly RobotsRule[]
  /** Crawl-delay by agent, ms. */
  readonly delays: ReadonlyMap<string, number>
}

/** What robots.txt says about one URL, and where it says it. */
export interface RobotsDecision {
  readonly allowed: boolean
  /** The product token of the group that decided, `*`, or null if no group is for this crawler. */
  readonly group: string | null
  /** The rule that decided as the file writes it, or null if none matched. */
  readonly rule: string | null
  /** Its line, 1 for the first, or null. */
  readonly line: number | null
}

/** The rules of one robots.txt for one crawler: what a cache keeps. */
export class AgentRules {
  readonly #rules: readonly RobotsRule[]
  constructor(
    readonly group: string | null,
    rules: readonly RobotsRule[],
    /** Crawl-delay in ms, or undefined if none is stated. */
    readonly crawlDelayMs: number | undefined,
    readonly sitemaps: readonly string[],
  ) {
    // The longest match wins, allow at a tie (RFC 9309 §2.2.2): in this order the first match is it.
    this.#rules = [...rules].sort(
      (a, b) => b.pattern.lengthBytes - a.pattern.lengthBytes || Number(b.allows) - Number(a.allows) || (a.line ?? 0) - (b.line ?? 0),
    )
  }

  decide(url: string): RobotsDecision {
    if (this.#rules.length === 0) return { allowed: true, group: this.group, rule: null, line: null }
    const path = matchablePath(url)
    if (path === '/robots.txt') return { allowed: true, group: this.group, rule: null, line: null }
    const rule = this.#rules.find(candidate => matchesPath(candidate.pattern, path))
    if (rule === undefined) return { allowed: true, group: this.group, rule: null, line: null }
    return { allowed: rule.allows, group: this.group, rule: rule.text, line: rule.line }
  }

  /** Memory that these rules hold, about; for a cache that is bounded in bytes. */
  get sizeBytes(): number {
    let bytes = 200
    for (const rule of this.#rules) bytes += 160 + 2 * (rule.text.length + rule.pattern.lengthBytes)
    for (const sitemap of this.sitemaps) bytes += 40 + 2 * sitemap.length
    return bytes
  }
}

/** A robots.txt, read. */
export class RobotsRules {
  constructor(
    readonly groups: readonly RobotsGroup[],
    /** Values of the Sitemap lines as written, without duplicates. */
    readonly sitemaps: readonly string[],
  ) {}

  /** The rules for a crawler with these names: all groups for any of them, merged; else those for `*` (RFC 9309 §2.2.1). */
  forAgents(agentNames: readonly string[]): AgentRules {
    const names = new Set(agentNames.map(agentName).filter(name => name !== ''))
    const own = this.groups.filter(group => group.agents.some(agent => names.has(agent)))
    if (own.length === 0) names.clear()
    if (own.length === 0) names.add('*')
    const chosen = own.length > 0 ? own : this.groups.filter(group => group.agents.includes('*'))
    const name = chosen[0]?.agents.find(agent => names.has(agent))
    const delays = chosen.flatMap(group => [...group.delays].filter(([agent]) => names.has(agent)).map(([, delayMs]) => delayMs))
    const delayMs = delays.length === 0 ? undefined : Math.max(...delays)
    return new AgentRules(
      name ?? null,
      chosen.flatMap(group => group.rules),
      delayMs,
      this.sitemaps,
    )
  }

  decide(agentNames: readonly string[], url: string): RobotsDecision {
    return this.forAgents(agentNames).decide(url)
  }

  /** The Crawl-delay for these agents in ms, or undefined; the longest where several groups state one. */
  crawlDelayMs(agentNames: readonly string[]): number | undefined {
    return this.forAgents(agentNames).crawlDelayMs
  }
}

/** What counts of an agent's name, lower case: of `FooBot/2.1` it is `foobot`; a name with blanks or parentheses, which is no product token, counts whole. */
export function agentName(name: string): string {
  const text = name.trim().toLowerCase()
  if (/[\s(]/.test(text)) return text
  return /^[a-z0-9_\u0080-\uffff-]+/.exec(text)?.[0] ?? ''
}
