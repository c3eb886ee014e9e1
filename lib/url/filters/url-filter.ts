import type { RuleRef } from '../../explain/decision.js'

/** What one filter says of one URL, and the rule that decided. */
export interface Verdict {
  readonly accepted: boolean
  readonly by: RuleRef
  /** Where the rule alone does not say why. */
  readonly reason?: string
  /** The reason is that of a decision: a rule with a reason and without this could not decide. */
  readonly isDecided?: boolean
}

/** One filter of a chain. Both calls agree; `accepts` is the fast one. An error thrown by either rejects the URL. */
export interface UrlFilter {
  readonly name: string
  accepts(url: string): boolean
  verdict(url: string): Verdict
}
