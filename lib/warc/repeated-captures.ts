import { sha1Base32 } from './base32.js'
import type { CaptureGroup, WholeRecord } from './capture-groups.js'
import { headEnd } from './http-head.js'
import { revisitFields } from './revisit-fields.js'
import { captureTimeMs, holdsHttp, parseWarcHead, warcField } from './warc-fields.js'
import { formatWarcHead, type WarcField } from './warc-header.js'

/** Fields that a revisit record has anew. */
const changedFields: readonly string[] = ['warc-type', 'warc-block-digest', 'content-length']

/** Finds captures whose payload an earlier one of the same URL has. Memory: URL, digest and time of each that was the first. */
export class RepeatedCaptures {
  readonly #firstMs = new Map<string, number>()

  /** The group as it is, or, if its capture repeats one that was taken before, with a revisit record in place of it. */
  take(group: CaptureGroup): CaptureGroup {
    const { capture } = group
    const digest = warcField(capture.head, 'warc-payload-digest')
    const timeMs = captureTimeMs(capture.head)
    if (digest === undefined || timeMs === undefined || !isRepeatable(capture)) return group
    const key = `${digest} ${capture.uri}`
    const firstMs = this.#firstMs.get(key)
    if (firstMs === undefined) {
      this.#firstMs.set(key, timeMs)
      return group
    }
    const revisit = toRevisit(capture, firstMs)
    return { capture: revisit, records: group.records.map(record => (record === capture ? revisit : record)) }
  }
}

/** A whole answer with a body. */
function isRepeatable({ type, head, block }: WholeRecord): boolean {
  return type === 'response' && holdsHttp(head) && warcField(head, 'warc-truncated') === undefined && headEnd(block) < block.length
}

/** The record without its body. */
function toRevisit(record: WholeRecord, dateMs: number): WholeRecord {
  const block = record.block.subarray(0, headEnd(record.block))
  const fields: WarcField[] = [
    ['WARC-Type', 'revisit'],
    ...record.head.fields.filter(([name]) => !changedFields.includes(name.toLowerCase())),
    ...revisitFields({ url: record.uri, dateMs }, undefined),
    ['WARC-Block-Digest', `sha1:${sha1Base32(block)}`],
  ]
  const rawHead = formatWarcHead(fields, block.length)
  return { ...record, type: 'revisit', head: parseWarcHead(rawHead.toString().trimEnd()), rawHead, block }
}
