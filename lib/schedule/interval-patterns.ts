import type { DbDatum } from '../record/records.js'
import { type RuleText, readRuleLines } from './rule-lines.js'

/** Compiles a pattern to a test whether it is found in a URL; handed in by the caller, who has an engine of linear time.
 *  @throws {CrawlError} URL_RULE_INVALID or {SyntaxError} if the pattern cannot be used */
export type CompilePattern = (pattern: string) => (text: string) => boolean

/** Metadata key by which a seed brings a pattern of its own: `[INTERVAL ]PATTERN`. Pages reached from the seed have it too if
 *  `urlmeta.tags` carries it. */
export const patternKey = 'fetchInterval.pattern'

export interface IntervalPatterns {
  /** Seconds, or undefined if no pattern matches. */
  intervalOf(datum: DbDatum): number | undefined
}

interface PatternRule {
  readonly intervalS: number
  readonly matches: (text: string) => boolean
}

const secondsOfUnit: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 }
const cacheLimit = 1000

/**
 * Reads `INTERVAL PATTERN` a line: seconds, or a number with s, m, h or d behind it; a line that begins with no interval takes
 * `defaultIntervalS`. The record's own pattern goes before the file's, of which the first match wins.
 * @throws {CrawlError} CONFIG_INVALID naming each line whose interval or pattern cannot be used
 */
export function createIntervalPatterns(compile: CompilePattern, defaultIntervalS: number, file?: RuleText): IntervalPatterns {
  const read = (line: string): PatternRule | string => readPatternRule(line, compile, defaultIntervalS)
  const rules = file === undefined ? [] : readRuleLines(file, read)
  const own = new Map<string, PatternRule | string>()
  const ownRule = (text: string): PatternRule | undefined => {
    let rule = own.get(text)
    if (rule === undefined) {
      rule = read(text)
      if (own.size >= cacheLimit) own.clear()
      own.set(text, rule)
    }
    return typeof rule === 'string' ? undefined : rule
  }
  return {
    intervalOf({ url, metadata }) {
      const text = metadata[patternKey]
      const first = text === undefined ? undefined : ownRule(text)
      if (first?.matches(url)) return first.intervalS
      return rules.find(rule => rule.matches(url))?.intervalS
    },
  }
}

function readPatternRule(line: string, compile: CompilePattern, defaultIntervalS: number): PatternRule | string {
  const parts = /^(\d{1,10})([smhd]?)\s+(\S.*)$/.exec(line)
  const intervalS = parts === null ? defaultIntervalS : Number(parts[1]) * (secondsOfUnit[parts[2] ?? ''] as number)
  if (!(intervalS >= 1 && intervalS <= 2_147_483_647)) return `interval of ${line} is not within 1…2147483647 s`
  const pattern = parts?.[3] ?? line
  if (/\s/.test(pattern)) return `${line} has white space in its pattern, and no URL has; an interval is seconds, or a number and s, m, h or d`
  try {
    return { intervalS, matches: compile(pattern) }
  } catch (error) {
    return `pattern cannot be used: ${error instanceof Error ? error.message : String(error)}`
  }
}
