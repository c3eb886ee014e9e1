import type { PartName } from '../lib/segment/part-names.js'
import { eachLine } from '../lib/segment/read-lines.js'
import type { Segment } from '../lib/segment/segment.js'
import type { Update } from '../lib/store/sorted-updates.js'

/** The updates that each line of a part gives, in batches; the JSON is handed on as text. */
export async function* lineUpdates(
  segment: Segment,
  part: PartName,
  updatesOf: (url: string, json: string) => Update | readonly Update[],
): AsyncGenerator<readonly Update[]> {
  for await (const { text } of segment.readLines(part)) {
    const updates: Update[] = []
    eachLine(text, line => {
      const tab = line.indexOf('\t')
      if (tab <= 0) return
      const given = updatesOf(line.slice(0, tab), line.slice(tab + 1))
      if ('key' in given) updates.push(given)
      else updates.push(...given)
    })
    yield updates
  }
}
