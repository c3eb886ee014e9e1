import { expect } from 'chai'
import fc from 'fast-check'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import { lockDatum, lockOf } from '../../lib/crawldb/lock.js'
import { promoteDue } from '../../lib/crawldb/promote.js'
import { keyOfUrl } from '../../lib/record/url-key.js'
import { DueSource, type DueSourceOptions } from '../../pipelines/due-source.js'
import { dbDatum } from '../support/db-datum.js'
import { specTimeMs } from '../support/job-fixture.js'
import { useTempFolders } from '../support/temp-folder.js'
import { putRecords, withTestDb } from '../support/test-db.js'

interface Setup {
  readonly crawlDb: CrawlDb
  readonly source: DueSource
  /** Moved by the spec. */
  readonly clock: { nowMs: number }
  readonly budget: { left: number }
  /** What the source said when it found nothing: the spec's answers, then `over`. */
  readonly waits: ('look' | 'over')[]
}

describe('what a continuous crawl takes its items from', () => {
  const newFolder = useTempFolders()

  /** A source over records that are due, with these URLs and scores. */
  function withSource<T>(
    records: Readonly<Record<string, number>>,
    use: (setup: Setup) => Promise<T>,
    options: Partial<DueSourceOptions> = {},
  ): Promise<T> {
    return withTestDb(newFolder(), async crawlDb => {
      await putRecords(
        crawlDb,
        Object.entries(records).map(([url, score]) => dbDatum({ url, score, fetchTimeMs: specTimeMs - 1000 })),
      )
      await promoteDue(crawlDb, specTimeMs)
      const clock = { nowMs: specTimeMs }
      const budget = { left: Number.POSITIVE_INFINITY }
      const waits: ('look' | 'over')[] = []
      const lock = { segment: '20260131000000', timeMs: specTimeMs, untilMs: specTimeMs + 1_000_000 }
      const source = new DueSource({
        crawlDb,
        mode: 'byHost',
        isWanted: () => true,
        budget: () => budget.left,
        nowMs: () => clock.nowMs,
        waitForWork: async () => waits.shift() ?? 'over',
        onGivenBack: items =>
          void giveBack(
            crawlDb,
            items.map(({ url }) => url),
          ),
        claim: async (data, queueId) => {
          await crawlDb.commit(data.map(old => ({ key: keyOfUrl(old.url), old, next: lockDatum(old, lock) })))
          budget.left -= data.length
          return data.map(datum => ({ url: datum.url, datum, queueId, segment: lock.segment }))
        },
        ...options,
      })
      return use({ crawlDb, source, clock, budget, waits })
    })
  }

  const giveBack = (crawlDb: CrawlDb, urls: readonly string[]): Promise<void> =>
    putRecords(
      crawlDb,
      urls.map(url => dbDatum({ url, score: 1, fetchTimeMs: specTimeMs - 1000 })),
    )

  const urlsOf = async (source: DueSource, queueId: string, limit = 10): Promise<string[]> =>
    (await source.take(queueId, limit)).map(({ url }) => url)

  it('gives the queue with the best head first, and its best first, each locked', async () => {
    const records = { 'http://a.test/1': 1, 'http://a.test/2': 5, 'http://b.test/1': 9, 'http://c.test/1': 2 }
    await withSource(records, async ({ crawlDb, source }) => {
      expect(await source.nextQueues(2)).to.deep.equal(['b.test', 'a.test'])
      expect(await source.nextQueues(2)).to.deep.equal(['c.test'])
      expect(await urlsOf(source, 'a.test', 1)).to.deep.equal(['http://a.test/2'])
      expect(await urlsOf(source, 'a.test')).to.deep.equal(['http://a.test/1'])
      expect(await urlsOf(source, 'a.test')).to.deep.equal([])
      for await (const datum of crawlDb.records()) expect(lockOf(datum) !== undefined, datum.url).to.equal(datum.url.includes('a.test'))
    })
  })

  it('by domain gives the hosts of a domain as one queue', async () => {
    const records = { 'http://x.a.test/': 1, 'http://y.a.test/': 2, 'http://b.test/': 3 }
    await withSource(
      records,
      async ({ source }) => {
        expect(await source.nextQueues(9)).to.have.members(['b.test', 'a.test'])
        expect(await urlsOf(source, 'a.test')).to.have.members(['http://x.a.test/', 'http://y.a.test/'])
      },
      { mode: 'byDomain' },
    )
  })

  it('does not give a queue that is held before its time, nor anything of it', async () => {
    await withSource({ 'http://a.test/1': 1, 'http://a.test/2': 1 }, async ({ source, clock, crawlDb }) => {
      await source.nextQueues(9)
      const items = await source.take('a.test', 1)
      source.giveBack('a.test', items, specTimeMs + 60_000)
      await crawlDb.commits.drained()
      expect(source).to.include({ heldQueues: 1, heldUntilMs: specTimeMs + 60_000 })
      expect(await source.nextQueues(9)).to.deep.equal([])
      expect(await urlsOf(source, 'a.test')).to.deep.equal([])
      source.refresh()
      expect(await source.nextQueues(9)).to.deep.equal([])
      clock.nowMs += 60_000
      expect(await source.nextQueues(9)).to.deep.equal(['a.test'])
      expect(source).to.include({ heldQueues: 0, heldUntilMs: undefined })
      expect(await urlsOf(source, 'a.test')).to.have.length(2)
    })
  })

  it('takes no more than the budget allows, and gives the queue again when there is more', async () => {
    await withSource({ 'http://a.test/1': 1, 'http://a.test/2': 1, 'http://a.test/3': 1 }, async ({ source, budget }) => {
      budget.left = 2
      await source.nextQueues(9)
      expect(await urlsOf(source, 'a.test')).to.have.length(2)
      expect(await urlsOf(source, 'a.test')).to.deep.equal([])
      expect(await source.nextQueues(9)).to.deep.equal([])
      budget.left = 1
      expect(await source.nextQueues(9)).to.deep.equal(['a.test'])
      expect(await urlsOf(source, 'a.test')).to.have.length(1)
    })
  })

  it('looks at a queue again that had nothing wanted only when the db has changed', async () => {
    let isWanted = false
    await withSource(
      { 'http://a.test/1': 1 },
      async ({ source, waits }) => {
        expect(await source.nextQueues(9)).to.deep.equal(['a.test'])
        expect(await urlsOf(source, 'a.test')).to.deep.equal([])
        expect(source.hasRunDry, 'it never gave anything, so that no link can be missing').to.equal(false)
        isWanted = true
        waits.push('look', 'look')
        expect(await source.nextQueues(9)).to.deep.equal([])
        source.refresh()
        expect(await source.nextQueues(9)).to.deep.equal(['a.test'])
        expect(await urlsOf(source, 'a.test')).to.have.length(1)
        expect(await urlsOf(source, 'a.test')).to.deep.equal([])
        expect(source.hasRunDry).to.equal(true)
      },
      { isWanted: () => isWanted },
    )
  })

  it('gives every item once, in whatever order queues are asked for, emptied, held and given back', async function () {
    this.timeout(20_000)
    const step = fc.record({ kind: fc.constantFrom('queues', 'take', 'hold', 'later'), which: fc.nat(30), count: fc.integer({ min: 1, max: 5 }) })
    const counts = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(counts, fc.array(step, { maxLength: 40 }), async (perHost, steps) => {
        const records = Object.fromEntries(
          perHost.flatMap((count, host) => Array.from({ length: count }, (_, page) => [`http://h${host}.test/${page}`, (host * 7 + page) % 5])),
        )
        await withSource(records, async ({ source, clock, crawlDb }) => {
          const open: string[] = []
          const taken: string[] = []
          for (const { kind, which, count } of steps) {
            const queueId = open[which % Math.max(1, open.length)]
            if (kind === 'queues') open.push(...(await source.nextQueues(count)))
            else if (kind === 'later') clock.nowMs += 1000
            else if (queueId !== undefined) {
              const items = await source.take(queueId, count)
              const isHeld = kind === 'hold'
              if (isHeld) source.giveBack(queueId, items, clock.nowMs + 500 * count)
              else taken.push(...items.map(({ url }) => url))
              await crawlDb.commits.drained()
              if (isHeld || items.length === 0) open.splice(open.indexOf(queueId), 1)
            }
          }
          clock.nowMs += 10_000
          source.refresh()
          for (let fresh = await source.nextQueues(2); fresh.length > 0; fresh = await source.nextQueues(2)) open.push(...fresh)
          for (const queueId of open) {
            for (let urls = await urlsOf(source, queueId, 3); urls.length > 0; urls = await urlsOf(source, queueId, 3)) taken.push(...urls)
          }
          expect(taken.sort()).to.deep.equal(Object.keys(records).sort())
        })
      }),
      { numRuns: 15 },
    )
  })
})
