import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import { KeysAhead } from '../../lib/crawldb/due-ahead.js'
import { lockDatum } from '../../lib/crawldb/lock.js'
import { promoteDue } from '../../lib/crawldb/promote.js'
import { type SelectOptions, selectDue } from '../../lib/crawldb/select-due.js'
import type { DbDatum } from '../../lib/record/records.js'
import { urlOfKey } from '../../lib/record/url-key.js'
import { hostOf } from '../../lib/url/hosts.js'
import { dbDatum } from '../support/db-datum.js'
import { useTempFolders } from '../support/temp-folder.js'
import { putRecords, withTestDb } from '../support/test-db.js'

const nowMs = 1000
const dayMs = 86_400_000

interface Asked {
  readonly topN: number
  readonly maxPerGroup: number
  readonly minSortValue: number
  readonly addDays: number
}

/** Sort values of the best records, found the plain way: sort all, take in order while the group has room. */
function bestByDefinition(records: readonly DbDatum[], { topN, maxPerGroup, minSortValue, addDays }: Asked): number[] {
  const untilMs = nowMs + addDays * dayMs
  const counts = new Map<string, number>()
  const taken: number[] = []
  const wanted = records.filter(datum => isWanted(datum, untilMs) && datum.score >= minSortValue).sort((a, b) => b.score - a.score)
  for (const { url, score } of wanted) {
    const host = hostOf(url)
    const count = counts.get(host) ?? 0
    if (taken.length >= topN || count >= maxPerGroup) continue
    counts.set(host, count + 1)
    taken.push(score)
  }
  return taken
}

/** Due by then, and not locked now. */
function isWanted(datum: DbDatum, untilMs: number): boolean {
  return datum.fetchTimeMs <= untilMs && !(Number(datum.metadata._lock_until_test ?? 0) > nowMs)
}

async function select(records: readonly DbDatum[], folder: string, asked: Asked): Promise<DbDatum[]> {
  const untilMs = nowMs + asked.addDays * dayMs
  return withTestDb(folder, async crawlDb => {
    await putRecords(crawlDb, records)
    await promoteDue(crawlDb, nowMs)
    const spill = { spillFolder: join(folder, 'ahead'), memoryBytes: 100 }
    const ahead = asked.addDays > 0 ? await KeysAhead.read(crawlDb, untilMs, spill) : undefined
    const keys = await keysOf(crawlDb, {
      topN: asked.topN,
      maxPerGroup: () => asked.maxPerGroup,
      groupOf: host => host,
      minSortValue: asked.minSortValue,
      isWanted: datum => datum.fetchTimeMs <= untilMs,
      ahead,
    })
    await ahead?.dispose()
    expect(new Set(keys).size, 'a key twice').to.equal(keys.length)
    return (await crawlDb.readMany(keys)).filter(datum => datum !== undefined)
  })
}

const scores = fc.oneof(fc.constantFrom(0, 1, 0.5, 1.5, -1, 1e-3), fc.float({ noNaN: true, noDefaultInfinity: true, min: -4, max: 4 }))
const record = fc.record({
  host: fc.integer({ min: 0, max: 5 }),
  score: scores,
  time: fc.constantFrom(0, nowMs, nowMs + 1, nowMs + dayMs, nowMs + 3 * dayMs),
  locked: fc.constantFrom(0, 0, nowMs - 1, nowMs + 5),
})
const limits = fc.record({
  topN: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(Number.POSITIVE_INFINITY)),
  maxPerGroup: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(Number.POSITIVE_INFINITY)),
  minSortValue: fc.constantFrom(Number.NEGATIVE_INFINITY, 0, 0.5),
  addDays: fc.constantFrom(0, 0, 1, 2),
})

async function keysOf(crawlDb: CrawlDb, options: SelectOptions): Promise<string[]> {
  const keys: string[] = []
  for await (const selected of selectDue(crawlDb, options)) keys.push(...selected.map(({ key }) => key))
  return keys
}

describe('selectDue', () => {
  const newFolder = useTempFolders()

  it('gives exactly the best records that are due and not locked, best first, over any scores, hosts, limits, locks and days ahead', async function () {
    this.timeout(30_000)
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 40 }), limits, async (drawn, asked) => {
        const records = drawn.map(({ host, score, time, locked }, index): DbDatum => {
          const datum = dbDatum({ url: `http://h${host}.example/${index}`, score: Math.fround(score), fetchTimeMs: time })
          if (locked === 0) return datum
          const lockedDatum = lockDatum(datum, { segment: '20260101000000', timeMs: 0, untilMs: locked })
          return { ...lockedDatum, metadata: { ...lockedDatum.metadata, _lock_until_test: String(locked) } }
        })
        const selected = await select(records, newFolder(), asked)
        const expected = bestByDefinition(records, asked)
        expect(selected.map(({ score }) => score)).to.deep.equal(expected)
        for (const datum of selected) expect(isWanted(datum, nowMs + asked.addDays * dayMs)).to.equal(true)
      }),
      { numRuns: 120 },
    )
  })

  it('gives equal values from all hosts in turn', async () => {
    const records = Array.from({ length: 60 }, (_, index) => dbDatum({ url: `http://h${index < 50 ? 0 : index % 3}.example/${index}` }))
    const selected = await select(records, newFolder(), { topN: 6, maxPerGroup: 100, minSortValue: 0, addDays: 0 })
    const perHost = new Map<string, number>()
    for (const { url } of selected) perHost.set(hostOf(url), (perHost.get(hostOf(url)) ?? 0) + 1)
    expect([...perHost.values()].sort()).to.deep.equal([2, 2, 2])
  })

  it('passes over a host that is full without reading the rest of it', async () => {
    const records = Array.from({ length: 3000 }, (_, index) =>
      dbDatum({ url: `http://${index < 2900 ? 'large' : 'small'}.example/${index}`, score: index < 2900 ? 2 : 1 }),
    )
    const folder = newFolder()
    let read = 0
    const keys = await withTestDb(folder, async crawlDb => {
      await putRecords(crawlDb, records)
      await promoteDue(crawlDb, nowMs)
      return keysOf(crawlDb, { topN: 10, maxPerGroup: () => 5, groupOf: host => host, minSortValue: 0, isWanted: () => ++read > 0 })
    })
    expect(keys.map(key => hostOf(urlOfKey(key)))).to.deep.equal([...Array(5).fill('large.example'), ...Array(5).fill('small.example')])
    expect(read).to.be.below(100)
  })

  it('reads the records of many hosts and sort values together', async () => {
    const records = Array.from({ length: 300 }, (_, index) => dbDatum({ url: `http://h${index}.example/`, score: Math.fround(1.03 ** index) }))
    let reads = 0
    const keys = await withTestDb(newFolder(), async crawlDb => {
      await putRecords(crawlDb, records)
      await promoteDue(crawlDb, nowMs)
      const getMany = crawlDb.level.getMany.bind(crawlDb.level)
      const counted = (asked: string[]): Promise<(Buffer | undefined)[]> => {
        reads++
        return getMany(asked)
      }
      Object.assign(crawlDb.level, { getMany: counted })
      return keysOf(crawlDb, { topN: 200, maxPerGroup: () => 5, groupOf: host => host, minSortValue: 0, isWanted: () => true })
    })
    expect(keys.map(key => hostOf(urlOfKey(key)))).to.deep.equal(Array.from({ length: 200 }, (_, index) => `h${299 - index}.example`))
    expect(reads).to.be.within(1, 3)
  })

  it('gives nothing where nothing is due', async () => {
    expect(await select([dbDatum({ fetchTimeMs: nowMs + 1 })], newFolder(), { topN: 5, maxPerGroup: 5, minSortValue: 0, addDays: 0 })).to.deep.equal(
      [],
    )
  })
})
