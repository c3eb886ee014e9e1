import { sideBySide } from '../stream/side-by-side.js'
import type { Level } from './level-store.js'

/** Keys behind `gt` and before `lt`, the first `limit` of them. */
export interface Stretch {
  readonly gt: string
  readonly lt: string
  readonly limit: number
}

/** As many as Node has threads for LevelDB, less one for other work. */
const iteratorsAtOnce = 3
/** Fewer stretches are not worth an iterator of their own. */
const leastStretches = 16
/** Reading so many keys that nobody asked for costs about as much as going to another place. */
const leastKeysPerRead = 32
const mostKeysPerRead = 1024

/** The keys of stretches that ascend and do not overlap. What lies between neighbours is read through where it is little, and passed over where it is much. */
export async function readStretches(level: Level, stretches: readonly Stretch[]): Promise<string[][]> {
  const perPart = Math.max(leastStretches, Math.ceil(stretches.length / iteratorsAtOnce))
  const parts: (readonly Stretch[])[] = []
  for (let start = 0; start < stretches.length; start += perPart) parts.push(stretches.slice(start, start + perPart))
  return (await sideBySide(parts, part => readPart(level, part), iteratorsAtOnce)).flat()
}

async function readPart(level: Level, stretches: readonly Stretch[]): Promise<string[][]> {
  const walk = new KeyWalk(level, stretches)
  try {
    const found: string[][] = []
    for (const stretch of stretches) found.push(await walk.read(stretch))
    return found
  } finally {
    await walk.close()
  }
}

/** Goes through keys in their order, from one stretch to the next. */
class KeyWalk {
  readonly #iterator
  #keys: readonly string[] = []
  #index = 0
  #keysPerRead = leastKeysPerRead
  #hasEnded = false

  constructor(level: Level, stretches: readonly Stretch[]) {
    const [first, last] = [stretches.at(0), stretches.at(-1)]
    this.#iterator = level.keys({ gt: first?.gt ?? '', lt: last?.lt ?? '', highWaterMarkBytes: 128 * 1024 })
  }

  async read({ gt, lt, limit }: Stretch): Promise<string[]> {
    this.#goBehind(gt)
    const found: string[] = []
    while (found.length < limit) {
      const key = this.#keys[this.#index]
      if (key === undefined) {
        if (this.#hasEnded) break
        await this.#readOn()
      } else if (key >= lt) break
      else {
        if (key > gt) found.push(key)
        this.#index++
      }
    }
    return found
  }

  async close(): Promise<void> {
    await this.#iterator.close()
  }

  /** Passes over keys in memory up to `key`; where there are none behind it the iterator is set there. */
  #goBehind(key: string): void {
    const isStart = this.#keys.length === 0
    while (this.#index < this.#keys.length && (this.#keys[this.#index] as string) <= key) this.#index++
    const isInMemory = this.#index < this.#keys.length
    this.#keysPerRead = isInMemory ? Math.min(this.#keysPerRead * 2, mostKeysPerRead) : Math.max(this.#keysPerRead / 2, leastKeysPerRead)
    if (!isInMemory && !isStart && !this.#hasEnded) this.#iterator.seek(key)
  }

  async #readOn(): Promise<void> {
    this.#keys = await this.#iterator.nextv(this.#keysPerRead)
    this.#index = 0
    this.#keysPerRead = Math.min(this.#keysPerRead * 2, mostKeysPerRead)
    this.#hasEnded = this.#keys.length === 0
  }
}
