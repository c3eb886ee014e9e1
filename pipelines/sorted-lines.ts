import { CrawlError } from '../lib/errors/crawl-error.js'
import { type KeyedLine, parseLine } from '../lib/record/line-format.js'
import type { Line } from '../lib/stream/split-lines.js'

/** The lines of one key. */
export interface LineGroup {
  readonly key: string
  readonly values: readonly KeyedLine['value'][]
}

/**
 * Groups lines that are sorted by key (`LC_ALL=C sort -t$'\t' -k1,1`). Empty lines are passed over. In memory stands one group.
 * @throws {CrawlError} LINE_INVALID with the line's number if a key is lower than the one before, or the line does not read
 */
export async function* groupSortedLines(lines: AsyncIterable<Line>): AsyncGenerator<LineGroup> {
  let key: string | undefined
  let values: KeyedLine['value'][] = []
  for await (const line of lines) {
    if (line.text === '' && line.fault === undefined) continue
    const { key: next, value } = readLine(line)
    if (key !== undefined && next !== key) {
      if (isBefore(next, key)) throw new CrawlError('LINE_INVALID', `line ${line.number}: the input is not sorted by key: ${next} after ${key}`)
      yield { key, values }
      values = []
    }
    key = next
    values.push(value)
  }
  if (key !== undefined) yield { key, values }
}

function readLine({ number, text, fault }: Line): KeyedLine {
  try {
    if (fault !== undefined) throw fault
    return parseLine(text)
  } catch (cause) {
    throw new CrawlError('LINE_INVALID', `line ${number}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** Whether `a` stands before `b` in the order of bytes. */
function isBefore(a: string, b: string): boolean {
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0
}
