import { outcomeFromJson } from '../../lib/record/fetch-json.js'
import { parseJsonObject } from '../../lib/record/line-format.js'
import type { FetchOutcome } from '../../lib/record/records.js'
import type { Url } from '../../lib/record/url.js'
import { findLines } from '../../lib/segment/find-lines.js'
import { parts } from '../../lib/segment/part-names.js'
import { parsedPageFromJson } from '../../lib/segment/read-parts.js'
import type { Segment } from '../../lib/segment/segment.js'

/** How the last fetch of a URL ended, and what became of its parse. */
export interface LastOutcome {
  readonly segment: string
  readonly outcome: FetchOutcome
  readonly parse?: { readonly status: string; readonly outlinks: number; readonly cause?: string }
}

/** The newest outcome of a URL that segments hold; undefined if none does. Sealed segments are asked by their index, open ones searched through. */
export async function findLastOutcome(url: Url, segments: readonly Segment[]): Promise<LastOutcome | undefined> {
  for (const segment of segments.toReversed()) {
    const found = await findLines(segment, url, [parts.outcomes, parts.crawlParse])
    const line = found.find(({ part }) => part === parts.outcomes)?.lines.at(-1)
    if (line === undefined) continue
    const outcome = outcomeFromJson(url, jsonOf(line, url))
    const page = found.find(({ part }) => part === parts.crawlParse)?.lines.at(-1)
    if (page === undefined) return { segment: segment.name, outcome }
    const { status, outlinks, cause } = parsedPageFromJson(url, jsonOf(page, url))
    return { segment: segment.name, outcome, parse: { status, outlinks, ...(cause === undefined ? {} : { cause }) } }
  }
  return undefined
}

function jsonOf(line: string, url: Url): Readonly<Record<string, unknown>> {
  return parseJsonObject(line.slice(url.length + 1))
}
