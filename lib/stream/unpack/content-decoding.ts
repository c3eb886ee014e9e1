import { type Coding, codingFor, type DecodedContent, gzip, isGzip, looksLikeText } from './codings.js'
import { unpackBounded } from './unpack-bounded.js'

export interface DecodingLimits {
  /** Longest payload. */
  readonly limitBytes: number
  /** Largest growth, counted beyond the first MiB. */
  readonly maxRatio: number
}

/** Whether what is asked for is a gzip file by itself, so that it stays one when the transport's coding is undone. */
export function namesGzipFile(path: string, contentType: string | undefined): boolean {
  return /gzip|\bzip|octet-stream/i.test(contentType ?? '') || /\.t?gz$/i.test(path)
}

/** More codings than this on top of each other are no honest answer. */
const maxCodings = 5

/**
 * Undoes the codings of a Content-Encoding header, last one first, never unpacking more than the limit. One that the content does not have, which
 * servers name that send what a client accepts or a charset there, is passed over; content that has none of them is taken as it is. Content gzipped
 * once more than the header says is unpacked, unless a gzip file is what was asked for.
 */
export async function decodeContent(
  body: Buffer,
  contentEncoding: string,
  { limits, isGzipFile = false }: { readonly limits: DecodingLimits; readonly isGzipFile?: boolean },
): Promise<DecodedContent> {
  const names = contentEncoding
    .toLowerCase()
    .split(',')
    .map(name => /[a-z][\w-]*/.exec(name)?.[0] ?? '') // without quotes and parameters
    .filter(name => name !== '' && name !== 'identity' && name !== 'none')
  let content: DecodedContent = { payload: body }
  if (names.length === 0 || names.length > maxCodings || body.length === 0) return content
  let isPacked = false
  for (const name of names.reverse()) {
    const next = await undo(codingFor(name, content.payload), content.payload, limits)
    if (next === undefined) continue
    isPacked = true
    content = merged(content, next)
  }
  if (isPacked && !isGzipFile && isGzip(content.payload)) {
    const next = await undo(gzip, content.payload, limits)
    if (next !== undefined) content = merged(content, next)
  }
  return content
}

function merged(before: DecodedContent, after: DecodedContent): DecodedContent {
  const truncated = after.truncated ?? before.truncated
  return truncated === undefined ? { payload: after.payload } : { payload: after.payload, truncated }
}

/** Undefined if nothing at all could be unpacked: then it was not packed so. */
async function undo(coding: Coding | undefined, bytes: Buffer, limits: DecodingLimits): Promise<DecodedContent | undefined> {
  if (coding === undefined) return undefined
  const mostBytes = Math.min(limits.limitBytes, Math.max(1_048_576, bytes.length * limits.maxRatio))
  try {
    return { payload: coding.atOnce(bytes, Math.max(1, mostBytes)) }
  } catch {
    if (coding.isBare === true && looksLikeText(bytes)) return undefined
    return unpackBounded(coding, bytes, mostBytes) // too long, broken off or spoilt: keep what can be had
  }
}
