import type { RobotsDirectives } from '../record/records.js'

/** Directives that no page gave. */
export const noDirectives: RobotsDirectives = Object.freeze({ noindex: false, nofollow: false, noarchive: false })

/** Both together: what one forbids is forbidden, and the earlier end of availability counts. */
export function mergeDirectives(a: RobotsDirectives, b: RobotsDirectives): RobotsDirectives {
  const ends = [a.unavailableAfterMs, b.unavailableAfterMs].filter(end => end !== undefined)
  return {
    noindex: a.noindex || b.noindex,
    nofollow: a.nofollow || b.nofollow,
    noarchive: a.noarchive || b.noarchive,
    ...(ends.length === 0 ? {} : { unavailableAfterMs: Math.min(...ends) }),
  }
}

/** Reads the content of a robots meta element, or X-Robots-Tag behind its agent. `none` is noindex and nofollow, as in Nutch. */
export function parseDirectives(content: string): RobotsDirectives {
  const end = unavailableAfter(content)
  const words = new Set(content.toLowerCase().split(/[\s,;]+/))
  return {
    noindex: words.has('noindex') || words.has('none'),
    nofollow: words.has('nofollow') || words.has('none'),
    noarchive: words.has('noarchive') || words.has('nocache'),
    ...(end === undefined ? {} : { unavailableAfterMs: end }),
  }
}

/** Rules whose value follows a colon, so that the word before it is no agent. */
const valuedRules = new Set(['unavailable_after', 'max-snippet', 'max-image-preview', 'max-video-preview'])

/**
 * X-Robots-Tag headers, for these agents: directives before any agent name are for all, those behind `agent:` up to the next agent or
 * the end of the header for that agent.
 */
export function parseRobotsHeaders(values: readonly string[], agentNames: readonly string[]): RobotsDirectives {
  let merged = noDirectives
  for (const value of values) merged = mergeDirectives(merged, parseDirectives(partsForAgents(value, agentNames).join(',')))
  return merged
}

function partsForAgents(value: string, agentNames: readonly string[]): string[] {
  const kept: string[] = []
  let isForUs = true
  for (const part of value.split(',')) {
    const named = /^\s*([\w-]+)\s*:/.exec(part)
    const agent = named?.[1]?.toLowerCase()
    if (named === null || agent === undefined || valuedRules.has(agent)) {
      if (isForUs) kept.push(part)
      continue
    }
    isForUs = isOneOf(agent, agentNames)
    if (isForUs) kept.push(part.slice(named[0].length))
  }
  return kept
}

/** Whether a meta element of this name is for these agents. `robots` is for all. */
export function isRobotsMetaName(name: string, agentNames: readonly string[]): boolean {
  return name === 'robots' || isOneOf(name, agentNames)
}

function isOneOf(name: string, agentNames: readonly string[]): boolean {
  return name === '*' || name === 'robots' || agentNames.some(agent => agent.toLowerCase() === name)
}

function unavailableAfter(content: string): number | undefined {
  const given = /unavailable_after\s*:\s*([^;]*)/i.exec(content)?.[1]
  if (given === undefined) return undefined
  const timeMs = Date.parse(given.replace(/,\s*(?:no\w+|none|all|index|follow|max-).*$/i, '').trim())
  return Number.isFinite(timeMs) ? timeMs : undefined
}
