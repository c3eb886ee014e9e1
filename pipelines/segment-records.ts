import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { decideCharset } from '../lib/parse/charset/decide-charset.js'
import { decodeAll } from '../lib/parse/charset/decode-bytes.js'
import { fetchItemFromJson, outcomeFromJson } from '../lib/record/fetch-json.js'
import { parseJsonObject } from '../lib/record/line-format.js'
import { linkFromJson, parseFromJson } from '../lib/record/parse-json.js'
import type { FetchItem, FetchOutcome, Link, Parse } from '../lib/record/records.js'
import { storedUrl, type Url } from '../lib/record/url.js'
import { findLines } from '../lib/segment/find-lines.js'
import { findSortedLines } from '../lib/segment/part-index.js'
import { cdxjName, type PartName, partNames, parts } from '../lib/segment/part-names.js'
import { eachLine } from '../lib/segment/read-lines.js'
import { type ParsedPage, parsedPageFromJson } from '../lib/segment/read-parts.js'
import type { Segment } from '../lib/segment/segment.js'
import { LineSorter } from '../lib/segment/sort-lines.js'
import type { ContentReader } from '../lib/warc/content-reader.js'
import { contentTypeOf } from '../lib/warc/http-head.js'
import type { StoredContent } from '../lib/warc/stored-content.js'
import { toSurt } from '../lib/warc/surt.js'

/** What a segment holds of one URL. */
export interface SegmentRecords {
  readonly url: Url
  readonly generated: readonly FetchItem[]
  readonly fetched: readonly FetchOutcome[]
  readonly content?: StoredContent
  readonly links: readonly Link[]
  readonly pages: readonly ParsedPage[]
  readonly parses: readonly Parse[]
  readonly texts: readonly string[]
}

/** Which parts are read. */
export interface PartChoice {
  readonly content: boolean
  readonly parts: readonly PartName[]
}

interface Draft {
  readonly url: Url
  readonly generated: FetchItem[]
  readonly fetched: FetchOutcome[]
  readonly links: Link[]
  readonly pages: ParsedPage[]
  readonly parses: Parse[]
  readonly texts: string[]
}

/** All records of a segment, URL by URL in the order of URLs, as Nutch's readseg -dump groups them. The lines are sorted in `sortFolder`. */
export async function* readSegmentRecords(
  segment: Segment,
  choice: PartChoice,
  { content, sortFolder }: { content: ContentReader; sortFolder: string },
): AsyncGenerator<SegmentRecords> {
  const sorter = new LineSorter(join(sortFolder, `readseg-${process.pid}-${segment.name}`))
  let draft: Draft | undefined
  await mkdir(sortFolder, { recursive: true })
  try {
    const needed = choice.content ? [...new Set([...choice.parts, parts.outcomes])] : choice.parts
    for (const part of needed) await sortPart(segment, part, sorter)
    for await (const lines of sorter.sorted()) {
      for (const line of lines) {
        const [url = '', part = '', , json = ''] = splitSorted(line)
        if (draft !== undefined && draft.url !== url) yield await withContent(draft, choice, content)
        if (draft?.url !== url) draft = emptyDraft(storedUrl(url))
        addLine(draft, partNames[Number(part)] ?? parts.fetchList, json)
      }
    }
    if (draft !== undefined) yield await withContent(draft, choice, content)
  } finally {
    await sorter.discard()
  }
}

/** What a segment holds of one URL, found by its indexes; undefined if it holds nothing. */
export async function findSegmentRecords(
  segment: Segment,
  url: Url,
  choice: PartChoice,
  content: ContentReader,
): Promise<SegmentRecords | undefined> {
  const draft = emptyDraft(url)
  const byIndex = choice.content ? await findCapture(segment, url, content) : undefined
  const needed = choice.content && byIndex === undefined ? [...new Set([...choice.parts, parts.outcomes])] : choice.parts
  for (const { part, lines } of await findLines(segment, url, needed)) for (const line of lines) addLine(draft, part, line.slice(url.length + 1))
  const records = byIndex === undefined ? await withContent(draft, choice, content) : { ...chosen(draft, choice), content: byIndex }
  return isEmpty(records) ? undefined : records
}

function isEmpty({ content, generated, fetched, links, pages, parses, texts }: SegmentRecords): boolean {
  return content === undefined && [generated, fetched, links, pages, parses, texts].every(list => list.length === 0)
}

/** The URL's last capture, by the CDXJ of a sealed segment. */
async function findCapture(segment: Segment, url: Url, content: ContentReader): Promise<StoredContent | undefined> {
  if ((await segment.state()) !== 'sealed') return undefined
  const lead = `${toSurt(url)} `
  for (const line of (await findSortedLines(segment.pathOf(cdxjName), lead)).toReversed()) {
    const capture = parseJsonObject(line.slice(line.indexOf('{')))
    if (capture.url !== url) continue
    return content.read({ file: String(capture.filename), offsetBytes: Number(capture.offset), lengthBytes: Number(capture.length) })
  }
  return undefined
}

/** The content as text: in UTF-8, or in the charset that header or content declare, or that is guessed. */
export function contentText({ fields, payload }: StoredContent, isRecoded: boolean, defaultCharset: string): string {
  if (!isRecoded) return Buffer.from(payload).toString()
  const options = { defaultCharset, minCharsetConfidence: 50 }
  return decodeAll(payload, decideCharset(payload, contentTypeOf(fields), options).charset)
}

async function sortPart(segment: Segment, part: PartName, sorter: LineSorter): Promise<void> {
  const number = partNames.indexOf(part)
  let count = 0
  for await (const { text } of segment.readLines(part)) {
    const waits: Promise<void>[] = []
    eachLine(text, line => {
      const tab = line.indexOf('\t')
      const wait = sorter.add(`${line.slice(0, tab)}\t${number}\t${String(count++).padStart(10, '0')}\t${line.slice(tab + 1)}`)
      if (wait !== undefined) waits.push(wait)
    })
    await Promise.all(waits)
  }
}

function splitSorted(line: string): [string, string, string, string] {
  const [first, second] = [line.indexOf('\t'), line.indexOf('\t', line.indexOf('\t') + 1)]
  const third = line.indexOf('\t', second + 1)
  return [line.slice(0, first), line.slice(first + 1, second), line.slice(second + 1, third), line.slice(third + 1)]
}

function emptyDraft(url: Url): Draft {
  return { url, generated: [], fetched: [], links: [], pages: [], parses: [], texts: [] }
}

function addLine(draft: Draft, part: PartName, text: string): void {
  const json = parseJsonObject(text)
  const { url } = draft
  if (part === parts.fetchList) draft.generated.push(fetchItemFromJson(url, json))
  else if (part === parts.outcomes) draft.fetched.push(outcomeFromJson(url, json))
  else if (part === parts.parseData) draft.parses.push(parseFromJson(url, json))
  else if (part === parts.parseText) draft.texts.push(typeof json.text === 'string' ? json.text : '')
  else if (json.status === 'linked') draft.links.push(linkFromJson(url, json))
  else draft.pages.push(parsedPageFromJson(url, json))
}

function chosen(draft: Draft, choice: PartChoice): SegmentRecords {
  return choice.parts.includes(parts.outcomes) ? draft : { ...draft, fetched: [] }
}

async function withContent(draft: Draft, choice: PartChoice, content: ContentReader): Promise<SegmentRecords> {
  const ref = choice.content ? draft.fetched.at(-1)?.content : undefined
  return ref === undefined ? chosen(draft, choice) : { ...chosen(draft, choice), content: await content.read(ref) }
}
