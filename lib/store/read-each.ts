import { sideBySide } from '../stream/side-by-side.js'
import type { Level } from './level-store.js'

/** LevelDB reads the keys of one call one after the other, on one thread. */
const keysPerThread = 256
/** As many as Node has for LevelDB, less one for other work. */
const threads = 3

/** Values of keys; undefined where there is none. Many keys, which are best in order, are read on several threads at once. */
export async function readEach(level: Level, keys: readonly string[]): Promise<(Buffer | undefined)[]> {
  if (keys.length <= keysPerThread) return level.getMany([...keys])
  const parts: string[][] = []
  for (let start = 0; start < keys.length; start += keysPerThread) parts.push(keys.slice(start, start + keysPerThread))
  return (await sideBySide(parts, part => level.getMany(part), threads)).flat()
}
