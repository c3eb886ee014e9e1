import type { WholeRecord } from '../lib/warc/capture-groups.js'
import { fieldValue, headEnd, mediaTypeOf, parseHttpHead, statusOf } from '../lib/warc/http-head.js'
import { holdsHttp, warcField } from '../lib/warc/warc-fields.js'
import { compilePattern } from './patterns.js'

/** Which captures a command is about; all that are given must hold. */
export interface CaptureChoice {
  /** Pattern that must be found in the URL. */
  readonly url?: string | undefined
  /** Media types: `text/html`, or `image/*`. */
  readonly types?: readonly string[]
  /** HTTP statuses: `200`, or `2xx`. */
  readonly statuses?: readonly string[]
}

/** What is compared. */
export interface CaptureFacts {
  readonly url: string
  /** Empty if it has none. */
  readonly mediaType: string
  readonly httpStatus: number | undefined
}

/** @throws {CrawlError} USAGE if the pattern cannot be used */
export function compileCaptureChoice({ url, types = [], statuses = [] }: CaptureChoice): (facts: CaptureFacts) => boolean {
  const isFound = url === undefined ? () => true : compilePattern(url)
  const wantedTypes = types.map(type => type.toLowerCase())
  const wantedStatuses = statuses.map(status => status.toLowerCase())
  return facts => {
    if (!isFound(facts.url)) return false
    if (wantedTypes.length > 0 && !wantedTypes.some(type => isOfType(facts.mediaType, type))) return false
    return wantedStatuses.length === 0 || wantedStatuses.some(status => isOfStatus(facts.httpStatus, status))
  }
}

/** What the choice compares of a record. */
export function factsOfRecord({ uri, head, block }: WholeRecord): CaptureFacts {
  const { startLine, fields } = holdsHttp(head) ? parseHttpHead(block.subarray(0, headEnd(block))) : { startLine: '', fields: [] }
  const httpStatus = statusOf(startLine)
  const contentType = fieldValue(fields, 'content-type') ?? (httpStatus === undefined ? warcField(head, 'content-type') : undefined)
  return { url: uri, mediaType: mediaTypeOf(contentType), httpStatus }
}

function isOfType(mediaType: string, wanted: string): boolean {
  return wanted.endsWith('/*') ? mediaType.startsWith(wanted.slice(0, -1)) : mediaType === wanted
}

function isOfStatus(httpStatus: number | undefined, wanted: string): boolean {
  if (httpStatus === undefined) return false
  return wanted.endsWith('xx') ? String(httpStatus)[0] === wanted[0] : String(httpStatus) === wanted
}
