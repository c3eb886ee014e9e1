import type { Level } from '../store/level-store.js'
import { CrawlDb } from './crawl-db.js'

/** Lends the CrawlDb as it is now, to be read while others go on writing. Whoever writes to it gets a TypeError. */
export async function withSnapshot<T>(crawlDb: CrawlDb, use: (view: CrawlDb) => Promise<T>): Promise<T> {
  const { level, sortValueOf } = crawlDb
  const { snapshot, state } = await crawlDb.commits.run(async () => ({ snapshot: level.snapshot(), state: crawlDb.state }))
  try {
    return await use(new CrawlDb({ level: snapshotLevel(level, snapshot), state, seal: crawlDb.seal, sortValueOf }))
  } finally {
    await snapshot.close()
  }
}

const readsWithKey = new Set(['get', 'getMany', 'has', 'hasMany'])
const readsWithOptions = new Set(['iterator', 'keys', 'values'])
const writes = new Set(['put', 'del', 'batch', 'clear', 'open', 'close', 'compactRange'])

/** The level with all its reads bound to a snapshot. */
function snapshotLevel(level: Level, snapshot: ReturnType<Level['snapshot']>): Level {
  return new Proxy(level, {
    get(target, name: string) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      if (readsWithKey.has(name)) return (key: unknown, options: object = {}) => member.call(target, key, { ...options, snapshot })
      if (readsWithOptions.has(name)) return (options: object = {}) => member.call(target, { ...options, snapshot })
      if (writes.has(name)) throw new TypeError(`${name}: this CrawlDb is a snapshot`)
      return member.bind(target)
    },
  })
}
