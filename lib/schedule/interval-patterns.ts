import type { DbDatum } from '../record/records.js'
import { type RuleText, readRuleLines } from './rule-lines.js'

/** Compiles a pattern to a test whether it is found in a URL; handed in by the caller, who has an engine of linear time.
 *  @throws {CrawlError} URL_RULE_INVALID or {SyntaxError} if the pattern cannot be used */
export type CompilePattern = (pattern: string) => (text: string) => boolean

/** Metadata key by which a seed brings a pattern of its own: `[INTERVAL ]PATTERN`. Pages reached from the seed have it too if
 *  `urlmeta.tags` carries it. */
export const patternKey = 'fetchInterval.pattern'

export interface IntervalPatterns {
  /** The rule that counts for a record, or undefined if no pattern matches. */
  ruleOf(datum: DbDatum): PatternRule | undefined
  /** What is wrong with the pattern that the record brings itself, which then does not count. */
  ownFaultOf(datum: DbDatum): string | undefined
}

export interface PatternRule {
  readonly intervalS: number
  readonly matches: (text: string) => boolean
  /** As it is written, and where. */
  readonly name: string
}

const secondsOfUnit: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 }
const cacheLimit = 1000

/**
 * Reads `INTERVAL PATTERN` a line: seconds, or a number with s, m, h or d behind it; a line that begins with no interval takes
 * `defaultIntervalS`. The record's own pattern goes before the file's, of which the first match wins.
 * @throws {CrawlError} CONFIG_INVALID naming each line whose interval or pattern cannot be used
 */
export function createIntervalPatterns(compile: CompilePattern, defaultIntervalS: number, file?: RuleText): IntervalPatterns {
  const read = (line: string, place: string): PatternRule | string => readPatternRule(line, place, compile, defaultIntervalS)
  const rules = file === undefined ? [] : readRuleLines(file, line => read(line, file.name))
  const own = new Map<string, PatternRule | string>()
  const ownRule = ({ metadata }: DbDatum): PatternRule | string | undefined => {
    const text = metadata[patternKey]
    if (text === undefined) return undefined
    let rule = own.get(text)
    if (rule === undefined) {
      rule = read(text, 'its seed')
      if (own.size >= cacheLimit) own.clear()
      own.set(text, rule)
    }
    return rule
  }
  return {
    ruleOf(datum) {
      const first = ownRule(datum)
      if (typeof first === 'object' && first.matches(datum.url)) return first
      return rules.find(rule => rule.matches(datum.url))
    },
    ownFaultOf(datum) {
      const first = ownRule(datum)
      return typeof first === 'string' ? first : undefined
    },
  }
}

function readPatternRule(line: string, place: string, compile: CompilePattern, defaultIntervalS: number): PatternRule | string {
  const parts = /^(\d{1,10})([smhd]?)\s+(\S.*)$/.exec(line)
  const intervalS = parts === null ? defaultIntervalS : Number(parts[1]) * (secondsOfUnit[parts[2] ?? ''] as number)
  if (!(intervalS >= 1 && intervalS <= 2_147_483_647)) return `interval of ${line} is not within 1…2147483647 s`
  const pattern = parts?.[3] ?? line
  if (/\s/.test(pattern)) return `${line} has white space in its pattern, and no URL has; an interval is seconds, or a number and s, m, h or d`
  try {
    return { intervalS, matches: compile(pattern), name: `${line} of ${place}` }
  } catch (error) {
    return `pattern cannot be used: ${error instanceof Error ? error.message : String(error)}`
  }
}
