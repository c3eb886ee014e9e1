import { messageOf } from '../errors/crawl-error.js'
import { builtIn, type Decision, type Step } from '../explain/decision.js'
import type { Url } from '../record/url.js'
import { canonicalUrl } from './normalize-url.js'
import type { UrlNormalizer } from './normalizers/url-normalizer.js'

/** What became of a raw URL: the normalized one, or why there is none. */
export type NormalizeResult = { readonly url: Url } | { readonly rejected: string; readonly isError?: boolean }

export interface NormalizerChain {
  readonly normalizers: readonly UrlNormalizer[]
  /** How often the chain is run, while it changes the URL. */
  readonly loopCount: number
  /** The chain is run until it changes nothing, and what comes out must be a URL that can be crawled. */
  readonly isChecked: boolean
}

/** Passes after which a chain that still changes the URL is taken at its word: its rules turn in a circle. */
const maxPasses = 10

interface Pass {
  readonly url: string | undefined
  /** Whether anything but a basic normalizer at the head of the chain changed the URL: only then can one more pass change it again. */
  readonly mayChangeAgain: boolean
  /** Why there is no URL. */
  readonly reason: string
  /** A normalizer failed instead of deciding. */
  readonly isError?: boolean
}

export function runChain(chain: NormalizerChain, raw: string): NormalizeResult {
  const { url, reason, isError } = runPasses(chain, raw, applyOne)
  // basic gave it, or `runPasses` checked it; what an operator's own chain gives is shown, not stored
  if (url !== undefined) return { url: url as Url }
  return isError === true ? { rejected: reason, isError } : { rejected: reason }
}

/** The same decision as `runChain` makes, with its steps. */
export function explainChain(chain: NormalizerChain, raw: string): Decision {
  const steps: Step[] = []
  const { url, reason } = runPasses(chain, raw, (normalizer, before) => {
    const explained = explainOne(normalizer, before)
    steps.push(...explained.steps)
    return { url: explained.url, reason: steps.at(-1)?.reason ?? '' }
  })
  if (url !== undefined) return { accepted: true, url, steps }
  const isTold = steps.at(-1)?.after === null
  const check: Step = { rule: 'a URL that can be crawled', file: builtIn, line: 0, before: steps.at(-1)?.after ?? raw, after: null, reason }
  return { accepted: false, url: null, steps: isTold ? steps : [...steps, check] }
}

type Applied = Pick<Pass, 'url' | 'reason' | 'isError'>
type ApplyNormalizer = (normalizer: UrlNormalizer, url: string) => Applied

function runPasses(chain: NormalizerChain, raw: string, apply: ApplyNormalizer): Pass {
  const passes = chain.isChecked ? Math.max(chain.loopCount, maxPasses) : chain.loopCount
  let pass: Pass = { url: raw, mayChangeAgain: true, reason: '' }
  for (let count = 0; count < passes && pass.url !== undefined && pass.mayChangeAgain; count++) pass = runPass(chain, pass.url, apply)
  if (pass.url === undefined || !chain.isChecked || (endsCanonical(chain) && !pass.mayChangeAgain)) return pass
  const fault = faultOf(pass.url)
  return fault === undefined ? pass : { ...pass, url: undefined, reason: fault }
}

function runPass({ normalizers }: NormalizerChain, raw: string, apply: ApplyNormalizer): Pass {
  let url = raw
  let mayChangeAgain = false
  for (const [index, normalizer] of normalizers.entries()) {
    const applied = apply(normalizer, url)
    if (applied.url === undefined) return { ...applied, mayChangeAgain: false }
    if (applied.url !== url && (index > 0 || normalizer.name !== 'basic')) mayChangeAgain = true
    url = applied.url
  }
  return { url, mayChangeAgain, reason: '' }
}

/** A last pass that changed nothing behind a basic normalizer at the head leaves its canonical form. */
const endsCanonical = ({ normalizers }: NormalizerChain): boolean => normalizers[0]?.name === 'basic'

function applyOne(normalizer: UrlNormalizer, before: string): Applied {
  try {
    const url = normalizer.apply(before)
    return url === undefined ? { url, reason: normalizer.explain(before).steps.at(-1)?.reason ?? 'malformed' } : { url, reason: '' }
  } catch (error) {
    return { url: undefined, reason: `${normalizer.name}: ${messageOf(error)}`, isError: true }
  }
}

function explainOne(normalizer: UrlNormalizer, before: string): { readonly url: string | undefined; readonly steps: readonly Step[] } {
  try {
    return normalizer.explain(before)
  } catch (error) {
    const step = { rule: normalizer.name, file: builtIn, line: 0, before, after: null, reason: `${normalizer.name}: ${messageOf(error)}` }
    return { url: undefined, steps: [step] }
  }
}

/** Why a string must not become a record's URL. */
function faultOf(url: string): string | undefined {
  if (/[\t\n\r]/.test(url)) return 'a tab or a line end in the URL'
  const canonical = canonicalUrl(url)
  return typeof canonical === 'string' ? undefined : canonical.fault
}
