import type { Config } from '../../lib/config/options.js'
import { isWholeRange } from '../../lib/fetch/content-range.js'
import { redirectTarget } from '../../lib/fetch/redirect-target.js'
import { agentNamesOf } from '../../lib/fetch/request-headers.js'
import { parseJsonObject } from '../../lib/record/line-format.js'
import type { Url } from '../../lib/record/url.js'
import { parseRobots } from '../../lib/robots/parse-robots.js'
import type { RobotsDecision } from '../../lib/robots/robots-rules.js'
import { findSortedLines } from '../../lib/segment/part-index.js'
import { captureLogName, cdxjName } from '../../lib/segment/part-names.js'
import { eachLine, readLineBatches } from '../../lib/segment/read-lines.js'
import type { Segment } from '../../lib/segment/segment.js'
import { ContentReader } from '../../lib/warc/content-reader.js'
import { fieldValue } from '../../lib/warc/http-head.js'
import type { StoredContent } from '../../lib/warc/stored-content.js'
import { toSurt } from '../../lib/warc/surt.js'

/** What the newest robots.txt that is stored says of a URL. */
export interface RobotsExplanation extends RobotsDecision {
  /** The robots.txt that was asked for. */
  readonly file: string
  readonly segment: string
  readonly fetchedMs: number
  readonly httpStatus: number | null
  readonly crawlDelayMs: number | null
  /** Whether its time is over: it will be asked for again before the next fetch. */
  readonly isExpired: boolean
  /** Why it decides without rules. */
  readonly reason?: string
}

const maxRedirects = 5

/** Looks through segments, newest first, for the robots.txt of the URL's origin. Undefined if none is stored, or the URL has none. */
export async function explainRobots(url: Url, segments: readonly Segment[], config: Config, nowMs: number): Promise<RobotsExplanation | undefined> {
  if (!/^https?:/.test(url)) return undefined
  const file = new URL('/robots.txt', url).href
  for (const segment of segments.toReversed()) {
    const content = new ContentReader(segment.folder)
    try {
      const found = await followed(segment, file, content)
      if (found === undefined) continue
      return { file, segment: segment.name, ...judged(found, url, config), isExpired: found.dateMs + config.robots.ttlMs <= nowMs }
    } finally {
      await content.close()
    }
  }
  return undefined
}

async function followed(segment: Segment, file: string, content: ContentReader): Promise<StoredContent | undefined> {
  let found = await storedCapture(segment, file, content)
  for (let hops = 0; found !== undefined && hops < maxRedirects; hops++) {
    const location = isRedirect(found.httpStatus) ? fieldValue(found.fields, 'location') : undefined
    const target = location === undefined ? undefined : redirectTarget(found.url, location)
    if (target === undefined) break
    const next: StoredContent | undefined = await storedCapture(segment, target, content)
    if (next === undefined) break
    found = next
  }
  return found
}

function isRedirect(status: number | undefined): boolean {
  return status !== undefined && status >= 300 && status < 400
}

/** The last capture of a URL, through the sorted index of a sealed segment, or the log of one that is open. */
async function storedCapture(segment: Segment, url: string, content: ContentReader): Promise<StoredContent | undefined> {
  const lead = `${toSurt(url)} `
  const isSealed = (await segment.state()) === 'sealed'
  const lines = isSealed ? await findSortedLines(segment.pathOf(cdxjName), lead) : await linesWithLead(segment.pathOf(captureLogName), lead)
  for (const line of lines.toReversed()) {
    const capture = parseJsonObject(line.slice(line.indexOf('{')))
    if (capture.url === url)
      return content.read({ file: String(capture.filename), offsetBytes: Number(capture.offset), lengthBytes: Number(capture.length) })
  }
  return undefined
}

async function linesWithLead(path: string, lead: string): Promise<string[]> {
  const lines: string[] = []
  for await (const { text } of readLineBatches(path)) {
    eachLine(text, line => {
      if (line.startsWith(lead)) lines.push(line)
    })
  }
  return lines
}

type Judged = Omit<RobotsExplanation, 'file' | 'segment' | 'isExpired'>

/** As the fetcher judges it (RFC 9309 §2.3.1). */
function judged({ dateMs, httpStatus, payload, fields, truncated }: StoredContent, url: Url, config: Config): Judged {
  const facts = { fetchedMs: dateMs, httpStatus: httpStatus ?? null, crawlDelayMs: null, group: null, rule: null, line: null }
  const isPart = httpStatus === 206 && !isWholeRange(fieldValue(fields, 'content-range'))
  const isBroken = isPart || (truncated !== undefined && truncated !== 'length')
  if (httpStatus !== undefined && httpStatus >= 200 && httpStatus < 300 && !isBroken) {
    const rules = parseRobots(payload).forAgents(agentNamesOf(config.http))
    return { ...facts, ...rules.decide(url), crawlDelayMs: rules.crawlDelayMs ?? null }
  }
  const isDenied = (httpStatus === 401 || httpStatus === 403) && !config.robots.allows403
  const isAbsent = httpStatus !== undefined && httpStatus >= 400 && httpStatus < 500 && httpStatus !== 407 // that is the proxy's
  const allowed = isAbsent ? !isDenied : !config.robots.defersOn503
  return { ...facts, allowed, reason: isBroken ? 'robots.txt came in part' : `robots.txt answered ${httpStatus ?? 'no HTTP'}` }
}
