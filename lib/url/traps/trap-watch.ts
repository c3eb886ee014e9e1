import type { UrlConfig } from '../../config/url-options.js'
import { builtIn, type Decision, stepOf } from '../../explain/decision.js'
import type { Counters } from '../../log/counters.js'
import type { UrlFilter } from '../filters/url-filter.js'
import { ShapeSketch } from './shape-sketch.js'
import { shapeOf, type TrapSign, trapSignOf } from './trap-rules.js'

/** Watches a stream of URLs for crawler traps. */
export interface TrapWatch {
  /** Looks at a URL, counts `trap/<sign>` if it shows one, and tells whether it may pass: false only where traps are held back. */
  admits(url: string): boolean
  /** As `admits`; a decision that accepts becomes one that holds back, with its step. */
  explain(url: string, accepted: Decision): Decision
}

/**
 * The watch that `millrace.trap.action` asks for.
 * @param remembersShapes whether it counts how many URLs had each shape, in a megabyte whatever their number: for streams that show each URL once
 */
export function createTrapWatch(config: UrlConfig, counters: Counters, remembersShapes = true): TrapWatch {
  if (config.trapAction === 'off') return { admits: () => true, explain: (_, accepted) => accepted }
  const sketch = remembersShapes ? new ShapeSketch() : undefined
  const isOneOfMany = (url: string): boolean => sketch !== undefined && sketch.add(shapeOf(url)) > config.trapShapeUrls
  const holds = config.trapAction === 'hold'
  const look = (url: string): TrapSign | undefined => {
    const sign = trapSignOf(url, config) ?? (isOneOfMany(url) ? 'many-of-a-shape' : undefined)
    if (sign !== undefined) counters.add(`trap/${sign}`)
    return sign
  }
  return {
    admits: url => look(url) === undefined || !holds,
    explain: (url, accepted) => {
      const sign = look(url)
      if (sign === undefined || !holds) return accepted
      return { ...accepted, accepted: false, url: null, steps: [...accepted.steps, stepOf(trapRule(sign), url, null, `looks like a trap: ${sign}`)] }
    },
  }
}

/** The part of the watch that needs no memory, as a filter: for chains that must decide alike whatever they saw before. */
export function trapFilter(config: UrlConfig): UrlFilter {
  return {
    name: 'trap',
    accepts: url => trapSignOf(url, config) === undefined,
    verdict: url => {
      const sign = trapSignOf(url, config)
      return sign === undefined
        ? { accepted: true, by: { rule: 'no sign of a trap', file: builtIn, line: 0 } }
        : { accepted: false, by: trapRule(sign), reason: `looks like a trap: ${sign}` }
    },
  }
}

const trapRule = (sign: TrapSign) => ({ rule: `trap: ${sign}`, file: builtIn, line: 0 })
