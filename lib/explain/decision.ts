/** A rule as it stands in its file. */
export interface RuleRef {
  /** The rule's text, or the name of a plugin that has no rules. */
  readonly rule: string
  /** File, or where else the rule comes from: `-D urlfilter.regex.rules`, `built in`. */
  readonly file: string
  /** 1 for the first; 0 where there are no lines. */
  readonly line: number
}

/** One thing that was done to what is decided about. Keys stand in this order in the line format. */
export interface Step extends RuleRef {
  readonly before: string
  /** null if the step rejected. */
  readonly after: string | null
  /** Why, where the rule alone does not say it. */
  readonly reason?: string
}

/** How it came to a yes or no: the steps that changed or rejected, in order. */
export interface Decision {
  readonly accepted: boolean
  /** The outcome; null if rejected. */
  readonly url: string | null
  readonly steps: readonly Step[]
  /** Rules that let it pass although they could have rejected it. */
  readonly passedBy?: readonly RuleRef[]
}

/** A step of `ref`, with `reason` only where there is one. */
export function stepOf({ rule, file, line }: RuleRef, before: string, after: string | null, reason?: string): Step {
  return { rule, file, line, before, after, ...(reason === undefined ? {} : { reason }) }
}

/** Where rules without a file come from. */
export const builtIn = 'built in'
