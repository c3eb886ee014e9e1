import type { Level } from './level-store.js'
import { readEach } from './read-each.js'

/** Fewer keys are asked for one by one at once. */
const leastKeys = 16
/** Records read before it is first judged whether to read on, and then each time. */
const firstLook = 128
const laterLooks = 1024
/** Reading a record that nobody asked for costs about a third of asking for one. */
const recordsPerKey = 3

/**
 * Values of keys, which are sorted, without their prefix; undefined where there is none. Where most of what lies between them is asked for, or nothing lies
 * there, it is read through, which costs a fraction of asking for each key.
 */
export async function readSorted(level: Level, prefix: string, keys: readonly string[]): Promise<(Buffer | undefined)[]> {
  const last = keys.at(-1)
  if (last === undefined || keys.length < leastKeys) return getEach(level, prefix, keys)
  const values: (Buffer | undefined)[] = [] // of the keys that the scan has passed
  const records = level.iterator({ gte: `${prefix}${keys[0]}`, lte: prefix + last, highWaterMarkBytes: 128 * 1024 })
  let read = 0
  try {
    for (;;) {
      const found = await records.nextv(read === 0 ? Math.min(firstLook, keys.length * 2) : laterLooks)
      read += found.length
      for (const [key, value] of found) takeUpTo(key.slice(prefix.length), value)
      if (found.length === 0) return keys.map((_, index) => values[index]) // LevelDB tells at the end of blocks that it could not read
      if (read > recordsPerKey * values.length) break
    }
  } finally {
    await records.close()
  }
  // What a scan that is left has not found may stand in a block that LevelDB has passed over, unreadable: asking tells.
  const missing = [...keys.keys()].filter(index => values[index] === undefined)
  const asked = await getEach(
    level,
    prefix,
    missing.map(index => keys[index] as string),
  )
  for (const [place, index] of missing.entries()) values[index] = asked[place]
  return values

  /** Gives keys before `key` nothing, and `key` its value if it is asked for. */
  function takeUpTo(key: string, value: Buffer): void {
    while (values.length < keys.length && (keys[values.length] as string) < key) values.push(undefined)
    while (values.length < keys.length && keys[values.length] === key) values.push(value)
  }
}

function getEach(level: Level, prefix: string, keys: readonly string[]): Promise<(Buffer | undefined)[]> {
  return readEach(
    level,
    keys.map(key => prefix + key),
  )
}
