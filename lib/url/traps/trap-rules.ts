import type { UrlConfig } from '../../config/url-options.js'

/** Why a URL by itself looks like part of an endless space. Names are stable: counters are made of them. */
export type TrapSign = 'repeated-segments' | 'deep' | 'long' | 'many-parameters' | 'session-id' | 'many-of-a-shape'

export type TrapLimits = Pick<UrlConfig, 'trapSegmentRepeats' | 'trapDepth' | 'trapLength' | 'trapParameters'>

/** A name that sessions go by, with a value long enough to be one. */
const sessionId =
  /(?:^|[?&;/])_?(?:j|l|bv_)?(?:session_?id|sid|phpsessid|aspsessionid[a-z]{0,8}|cftoken|zenid)=[a-z0-9!.%_-]{16,}|\/\([a-z]\([a-z0-9]{20,}\)\)\//i

/** The first sign of a trap that a URL shows by itself, or undefined. Linear in its length. */
export function trapSignOf(url: string, limits: TrapLimits): TrapSign | undefined {
  if (url.length > limits.trapLength) return 'long'
  if (isPlain(url, limits)) return undefined
  const { segments, query } = cut(url)
  if (segments.length > limits.trapDepth) return 'deep'
  if (segments.length >= limits.trapSegmentRepeats && hasRepeats(segments, limits.trapSegmentRepeats)) return 'repeated-segments'
  if (query.length > 0 && query.split('&').length > limits.trapParameters) return 'many-parameters'
  return sessionId.test(url) ? 'session-id' : undefined
}

/** Whether a URL has too few slashes for repeats and no place for a session id, as most have: a look at its characters instead of its parts. */
function isPlain(url: string, { trapSegmentRepeats, trapDepth }: TrapLimits): boolean {
  let slashes = 0
  for (let index = 0; index < url.length; index++) {
    const code = url.charCodeAt(index)
    if (code === slash) slashes++
    else if (code === equalsSign || code === openParenthesis || code === ampersand) return false
  }
  const segments = slashes - slashesBeforePath
  return segments < trapSegmentRepeats && segments <= trapDepth
}

const [slash, equalsSign, openParenthesis, ampersand] = [0x2f, 0x3d, 0x28, 0x26]
/** Of `https://`; the first of the path begins a segment. */
const slashesBeforePath = 2

/**
 * The shape of a URL: host, path and parameter names, with numbers, dates and hex ids in place of their values. Pages of one template have one
 * shape, and so
 * have the days of an endless calendar.
 */
export function shapeOf(url: string): string {
  const { origin, segments, query } = cut(url)
  const names =
    query === ''
      ? ''
      : `?${query
          .split('&')
          .map(part => part.slice(0, part.indexOf('=') + 1) || part)
          .sort()
          .join('&')}`
  return `${origin}/${segments.map(segmentShape).join('/')}${names}`
}

function segmentShape(segment: string): string {
  return segment.replace(/\d+|(?<![a-z])[0-9a-f]{8,}(?![a-z])/gi, '#')
}

function cut(url: string): { readonly origin: string; readonly segments: readonly string[]; readonly query: string } {
  const authority = url.indexOf('://') + 3
  const mark = url.indexOf('?')
  const pathEnd = mark < 0 ? url.length : mark
  const slash = url.indexOf('/', authority)
  const pathStart = slash < 0 || slash > pathEnd ? pathEnd : slash
  const segments = url.slice(pathStart + 1, pathEnd).split('/')
  return { origin: url.slice(0, pathStart), segments: segments.filter(segment => segment !== ''), query: mark < 0 ? '' : url.slice(mark + 1) }
}

/** Whether a segment that is no number stands `repeats` times in the path, or a run of segments `repeats` times in a row. */
function hasRepeats(segments: readonly string[], repeats: number): boolean {
  const counts = new Map<string, number>()
  for (const segment of segments) {
    if (/^\d+$/.test(segment)) continue
    const count = (counts.get(segment) ?? 0) + 1
    if (count >= repeats) return true
    counts.set(segment, count)
  }
  return false
}
