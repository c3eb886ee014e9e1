import type { CrawlDb } from './crawl-db.js'
import { placeOf, type WaterMark } from './place.js'
import { keyOfWait, tables, timeText, waitTimeMs } from './tables.js'

const entriesPerBatch = 2000
/** After this many deletions at the head of `wait` each seek there would cost milliseconds. */
const movesBeforeCompaction = 100_000
/** Greater than every key. */
const lastKey = '\u007f'

/** Moves what has become due by `nowMs` from `wait` to `due`. A clock that went back moves nothing. Gives the number of records moved. */
export async function promoteDue(crawlDb: CrawlDb, nowMs: number): Promise<number> {
  let moved = 0
  while (crawlDb.state.waterMark.timeMs < nowMs || crawlDb.state.waterMark.key !== lastKey) {
    if (nowMs < crawlDb.state.waterMark.timeMs) break
    moved += await crawlDb.commits.run(() => promoteBatch(crawlDb, nowMs))
  }
  if (moved >= movesBeforeCompaction) await crawlDb.compact(tables.wait, { lt: timeText(nowMs) })
  return moved
}

async function promoteBatch(crawlDb: CrawlDb, nowMs: number): Promise<number> {
  const { waterMark } = crawlDb.state
  const from = waterMark.timeMs < 0 ? tables.wait : tables.wait + timeText(waterMark.timeMs) + waterMark.key
  const indexKeys = await crawlDb.level.keys({ gt: from, lt: tables.wait + timeText(nowMs + 1), limit: entriesPerBatch }).all()
  const last = indexKeys[indexKeys.length - 1]
  const next: WaterMark =
    last === undefined || indexKeys.length < entriesPerBatch ? { timeMs: nowMs, key: lastKey } : { timeMs: waitTimeMs(last), key: keyOfWait(last) }
  const keys = indexKeys.map(keyOfWait)
  const data = await crawlDb.readMany(keys)
  const moves = keys.flatMap((key, index) => {
    const datum = data[index]
    const from = { timeMs: waitTimeMs(indexKeys[index] as string), bucket: undefined }
    return datum === undefined ? [] : [{ key, from, to: placeOf(key, datum, next, crawlDb.sortValueOf) }]
  })
  await crawlDb.move(moves, { waterMark: next })
  return moves.length
}
