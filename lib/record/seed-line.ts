import { CrawlError } from '../errors/crawl-error.js'
import { finiteFloat32 } from './float32.js'
import { formatJavaFloat } from './java-float.js'
import { parseJsonObject } from './line-format.js'
import { type Metadata, metadataKeys } from './metadata.js'

/** What a seed list says of a URL besides its name. */
export interface Seed {
  /** Finite float32. */
  readonly score?: number
  /** 1…2³¹−1 s. */
  readonly fetchIntervalS?: number
  readonly metadata: Metadata
}

/** A line of a seed list, read. */
export type SeedLine =
  /** Empty, or a comment. */
  | { readonly kind: 'blank' }
  /** `problems`: values that were not taken, each in one sentence that names its key; the URL is injected all the same. */
  | { readonly kind: 'seed'; readonly urlText: string; readonly seed: Seed; readonly problems: readonly string[] }
  /** A record in the line format. */
  | { readonly kind: 'record'; readonly urlText: string; readonly json: Readonly<Record<string, unknown>> }

interface SeedDraft {
  score?: number
  fetchIntervalS?: number
  readonly metadata: Record<string, string>
  readonly problems: string[]
}

const reservedKeys = ['nutch.score', 'nutch.fetchInterval', 'nutch.fetchInterval.fixed'] as const
/** What Java's Float.parseFloat takes for a number, but for hexadecimal. */
const javaFloat = /^[ ]*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?[ ]*$/
const javaInteger = /^[+-]?\d+$/
const maxIntervalS = 2_147_483_647

/**
 * Reads a line of a seed list as Nutch's Injector does: `URL TAB key=value TAB …`, tokens not trimmed, a token without `=` not read; or a record
 * if what stands behind the first tab is a JSON object.
 * @throws {CrawlError} LINE_INVALID if what begins as a JSON object is none
 */
export function parseSeedLine(text: string): SeedLine {
  const line = text.trim()
  if (line === '' || line.startsWith('#')) return { kind: 'blank' }
  const [urlText = '', ...tokens] = line.split('\t')
  const [first = ''] = tokens
  if (first.startsWith('{')) return { kind: 'record', urlText, json: parseJsonObject(line.slice(urlText.length + 1)) }
  const draft: SeedDraft = { metadata: {}, problems: [] }
  for (const token of tokens) takeToken(draft, token)
  const { problems, ...seed } = draft
  return { kind: 'seed', urlText, seed, problems }
}

function takeToken(draft: SeedDraft, token: string): void {
  const equals = token.indexOf('=')
  if (equals < 0) return
  const key = token.slice(0, equals)
  const value = token.slice(equals + 1)
  switch (key) {
    case 'nutch.score':
      takeScore(draft, value)
      break
    case 'nutch.fetchInterval':
    case 'nutch.fetchInterval.fixed':
      takeInterval(draft, key, value)
      break
    case '__proto__':
      draft.problems.push(`${key} cannot be a metadata key`)
      break
    default:
      if (reservedKeys.some(reserved => reserved === key.trim()))
        draft.problems.push(`"${key}" has white space around it and is taken as plain metadata`)
      draft.metadata[key] = value
  }
}

function takeScore(draft: SeedDraft, value: string): void {
  const score = javaFloat.test(value) ? Number(value.trim().replace(/[fFdD]$/, '')) : Number.NaN
  if (!Number.isFinite(Math.fround(score))) {
    draft.problems.push(`nutch.score=${value} is no finite number; the default score is used`)
    return
  }
  if (score < 0) draft.problems.push(`nutch.score=${value} is negative; such a URL is not selected while generate.min.score is 0`)
  draft.score = finiteFloat32(score)
}

function takeInterval(draft: SeedDraft, key: string, value: string): void {
  const intervalS = javaInteger.test(value) ? Number(value) : Number.NaN
  if (!(intervalS >= 1 && intervalS <= maxIntervalS)) {
    draft.problems.push(`${key}=${value} is no whole number of seconds within 1…${maxIntervalS}; the default interval is used`)
    return
  }
  draft.fetchIntervalS = intervalS
  if (key === 'nutch.fetchInterval.fixed') draft.metadata[metadataKeys.fixedInterval] = formatJavaFloat(intervalS)
}

/** The bad values of one seed line as an error that names them, for `--strict`. */
export function seedProblems(problems: readonly string[]): CrawlError {
  return new CrawlError('LINE_INVALID', problems.join('; '))
}
