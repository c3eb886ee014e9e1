import type { UrlScope } from '../../config/url-options.js'
import type { Step } from '../../explain/decision.js'

/** What one normalizer does to a URL: text to text, as Nutch's plugins do. */
export interface UrlNormalizer {
  readonly name: string
  /** The changed URL, the same one, or undefined if it is no URL. @throws {StepLimitError} if a pattern took too long */
  apply(url: string): string | undefined
  /** As `apply`, and one step for each rule that changed it; the last step rejects (`after` null) where `apply` gives undefined. */
  explain(url: string): { readonly url: string | undefined; readonly steps: readonly Step[] }
}

/** A normalizer that a plugin adds to the chains. */
export interface ExtraNormalizer {
  readonly name: string
  /** What it does in a scope; undefined where it takes no part. */
  forScope(scope: UrlScope): UrlNormalizer | undefined
}

/** A normalizer of one piece, whose decisions name itself as the rule. */
export function simpleNormalizer(
  name: string,
  file: string,
  apply: (url: string) => string | undefined,
  reasonOf?: (url: string) => string,
): UrlNormalizer {
  const explain: UrlNormalizer['explain'] = url => {
    const after = apply(url)
    if (after === url) return { url, steps: [] }
    const step: Step = { rule: name, file, line: 0, before: url, after: after ?? null }
    const reason = after === undefined ? reasonOf?.(url) : undefined
    return { url: after, steps: [reason === undefined ? step : { ...step, reason }] }
  }
  return { name, apply, explain }
}
