import type { KeyRange } from '../record/url-key.js'
import type { Level } from '../store/level-store.js'
import { endOf } from './tables.js'

const entriesPerRead = 1000

/** Key (without the table's prefix) and value of each entry of a table's range, a batch for each read, over one snapshot. */
export async function* scanBatches(
  level: Level,
  prefix: string,
  { gte = '', lt }: Partial<KeyRange> = {},
): AsyncGenerator<(readonly [key: string, bytes: Buffer])[]> {
  const iterator = level.iterator({
    gte: prefix + gte,
    lt: lt === undefined ? endOf(prefix) : prefix + lt,
    highWaterMarkBytes: 256 * 1024,
    fillCache: false,
  })
  try {
    for (let entries = await iterator.nextv(entriesPerRead); entries.length > 0; entries = await iterator.nextv(entriesPerRead)) {
      yield entries.map(([key, bytes]) => [key.slice(prefix.length), bytes] as const)
    }
  } finally {
    await iterator.close()
  }
}
