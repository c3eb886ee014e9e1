import { compilePattern } from './path-pattern.js'
import { agentName, type RobotsRule, RobotsRules } from './robots-rules.js'
import { type RobotsLine, readRobotsLines } from './robots-text.js'

interface OpenGroup {
  readonly agents: string[]
  readonly rules: RobotsRule[]
  readonly delays: Map<string, number>
  /** First of `agents` that a Crawl-delay read now is for. */
  delayFrom: number
}

/**
 * Reads a robots.txt as RFC 9309 says: never fails, whatever the bytes are. Rules before the first User-agent belong to nobody;
 * a group takes the rules up to the next User-agent that follows an Allow or Disallow; Sitemap lines count wherever they stand.
 * A Crawl-delay is no rule: User-agent lines behind it still join the group, but the delay is only for those before it.
 */
export function parseRobots(bytes: Uint8Array): RobotsRules {
  const groups: OpenGroup[] = []
  const sitemaps = new Set<string>()
  let open: OpenGroup | undefined
  let takesAgents = false
  let isDelaySeen = false
  for (const line of readRobotsLines(bytes)) {
    if (line.kind === 'user-agent') {
      if (open === undefined || !takesAgents) {
        open = { agents: [], rules: [], delays: new Map(), delayFrom: 0 }
        groups.push(open)
      } else if (isDelaySeen) open.delayFrom = open.agents.length
      open.agents.push(...agentsOfLine(line.value))
      takesAgents = true
      isDelaySeen = false
    } else if (line.kind === 'crawl-delay') {
      if (open !== undefined) takeDelay(open, line.value)
      isDelaySeen = true
    } else if (line.kind === 'sitemap') {
      if (line.value !== '') sitemaps.add(Buffer.from(line.value, 'latin1').toString())
    } else if (line.kind !== 'other') {
      takesAgents = false
      if (open !== undefined && line.value !== '') open.rules.push(...rulesOf(line))
    }
  }
  return new RobotsRules(groups, [...sitemaps])
}

function takeDelay(group: OpenGroup, value: string): void {
  const delayMs = crawlDelayMs(value)
  if (delayMs === undefined) return
  for (const agent of group.agents.slice(group.delayFrom)) group.delays.set(agent, Math.max(delayMs, group.delays.get(agent) ?? 0))
}

function* rulesOf(line: RobotsLine): Generator<RobotsRule> {
  const allows = line.kind === 'allow'
  const text = `${line.name}: ${Buffer.from(line.value, 'latin1').toString()}`
  yield { allows, pattern: compilePattern(line.value), text, line: line.number }
  const folder = allows ? folderOfIndexPage(line.value) : undefined
  if (folder !== undefined) yield { allows, pattern: compilePattern(`${folder}$`), text, line: line.number }
}

/** `/a/` of `/a/index.html`: who allows the index page allows the folder that shows it, as the known parsers agree. */
function folderOfIndexPage(value: string): string | undefined {
  const slash = value.lastIndexOf('/')
  return slash >= 0 && value.startsWith('/index.htm', slash) ? value.slice(0, slash + 1) : undefined
}

/** Seconds as a decimal number, in ms; undefined for anything else. */
function crawlDelayMs(value: string): number | undefined {
  const found = /^\d{1,12}(?:\.\d{0,12})?|^\.\d{1,12}/.exec(value)
  return found === null ? undefined : Math.round(Number(found[0]) * 1000)
}

/**
 * Whom a User-agent line is for, in lower case: `*`, or each name it holds. RFC 9309 wants one product token a line; files also
 * give lists (`One, Two`) and versions (`FooBot/2.1`), and all of them are meant. Of a whole User-Agent header, known by its
 * parentheses, only the first name counts, or the header as a whole.
 */
function agentsOfLine(octets: string): string[] {
  if (/^\*(?:\s|$)/.test(octets)) return ['*']
  const value = Buffer.from(octets, 'latin1').toString().toLowerCase()
  const words = value.split(/[\s,;]+/).slice(0, 50)
  const names = (value.includes('(') ? words.slice(0, 1) : words).map(agentName)
  return [...new Set([...names, agentName(value)].filter(name => name !== ''))]
}
