import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import { verifyCrawlDb } from '../../lib/crawldb/verify.js'
import type { CrawlError } from '../../lib/errors/crawl-error.js'
import type { DbDatum } from '../../lib/record/records.js'
import { storedUrl } from '../../lib/record/url.js'
import { keyOfUrl } from '../../lib/record/url-key.js'
import type { StartedJob } from '../../lib/store/job-ledger.js'
import { type Commit, type MergeCounts, mergeUpdates } from '../../lib/store/sorted-merge.js'
import type { Update } from '../../lib/store/sorted-updates.js'
import { dbDatum } from '../support/db-datum.js'
import { useTempFolders } from '../support/temp-folder.js'
import { differences, readAllEntries, withTestDb } from '../support/test-db.js'

const job = { kind: 'count', timeMs: 1000, configHash: 'c', inputs: [{ name: 'in', digest: 'd' }] }
const urlOf = (number: number): string => `http://h${number % 7}.example/p${number}`
const updates: readonly Update[] = Array.from({ length: 300 }, (_, index) => ({ key: keyOfUrl(storedUrl(urlOf((index * 37) % 100))), payload: '1' }))

/** Adds the payloads to the score: run twice on a key it gives another sum. */
function addUp(url: string, old: DbDatum | undefined, payloads: readonly string[]): DbDatum {
  return { ...(old ?? dbDatum({ url, score: 0 })), score: (old?.score ?? 0) + payloads.length }
}

/** As builds began a job whose merges always went from the first key to the last. */
function withoutOrder({ order: _, ...job }: StartedJob): StartedJob {
  return job
}

/** Stops like a kill would, in the middle of the commits. */
class Killed extends Error {}

async function merge(
  crawlDb: CrawlDb,
  folder: string,
  { killAfter = Number.POSITIVE_INFINITY, keysPerBatch = 7, memoryBytes = 5000, ofOlderBuild = false } = {},
): Promise<MergeCounts> {
  let commits = 0
  const target = Object.create(crawlDb, {
    commits: { value: crawlDb.commits },
    ledger: { value: crawlDb.ledger },
    readSorted: { value: (keys: readonly string[]) => crawlDb.readSorted(keys) },
    prepare: {
      value: (...args: Parameters<CrawlDb['prepare']>): Commit => {
        const commit = crawlDb.prepare(...args)
        return async (...rest) => {
          if (commits++ >= killAfter) throw new Killed()
          await commit(...rest)
        }
      },
    },
  }) as CrawlDb
  return mergeUpdates<DbDatum>({
    target,
    job: ofOlderBuild ? withoutOrder(await crawlDb.ledger.begin(job)) : await crawlDb.ledger.begin(job),
    updates: (async function* batches() {
      for (let start = 0; start < updates.length; start += 20) yield updates.slice(start, start + 20)
    })(),
    reduce: (key, old, payloads) => addUp(urlOfKeyOf(key), old, payloads),
    spillFolder: join(folder, 'spool'),
    memoryBytes,
    keysPerBatch,
    applied: ['in'],
  })
}

async function* asyncList<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

const urlsByKey = new Map(Array.from({ length: 100 }, (_, number) => [keyOfUrl(storedUrl(urlOf(number))), urlOf(number)]))
const urlOfKeyOf = (key: string): string => urlsByKey.get(key) ?? ''

describe('mergeUpdates', () => {
  const newFolder = useTempFolders()

  it('calls reduce once for each key, and counts', async () => {
    const folder = newFolder()
    const counts = await withTestDb(folder, crawlDb => merge(crawlDb, folder))
    expect(counts).to.deep.equal({ updates: 300, keys: 100, added: 100, changed: 0, removed: 0 })
    await withTestDb(folder, async crawlDb => {
      for await (const datum of crawlDb.records()) expect(datum.score).to.equal(3)
      expect(crawlDb.count).to.equal(100)
      expect(await crawlDb.ledger.pending()).to.equal(undefined)
      expect(await crawlDb.ledger.appliedAtMs('in')).to.equal(1000)
    })
  })

  it('stopped at any commit and run again gives the same db, byte for byte, also stopped twice', async () => {
    const whole = newFolder()
    await withTestDb(whole, crawlDb => merge(crawlDb, whole))
    const expected = await readAllEntries(join(whole, 'crawldb'))
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 16 }), fc.integer({ min: 0, max: 16 }), async (first, second) => {
        const folder = newFolder()
        for (const killAfter of [first, second, Number.POSITIVE_INFINITY]) {
          await withTestDb(folder, async crawlDb => {
            if ((await crawlDb.ledger.appliedAtMs('in')) === undefined) await merge(crawlDb, folder, { killAfter })
          }).catch(error => {
            if (!(error instanceof Killed)) throw error
          })
        }
        expect(differences(await readAllEntries(join(folder, 'crawldb')), expected)).to.deep.equal([])
      }),
      {
        numRuns: 25,
        examples: [
          [0, 0],
          [1, 0],
          [15, 1],
          [16, 16],
        ],
      },
    )
  })

  it('gives the same records whatever the batch and the memory', async () => {
    const recordsOf = async (options: { keysPerBatch: number; memoryBytes: number }): Promise<DbDatum[]> => {
      const folder = newFolder()
      return withTestDb(folder, async crawlDb => {
        await merge(crawlDb, folder, options)
        const records: DbDatum[] = []
        for await (const datum of crawlDb.records()) records.push(datum)
        return records
      })
    }
    const expected = await recordsOf({ keysPerBatch: 1000, memoryBytes: 1e9 })
    for (const keysPerBatch of [1, 33])
      for (const memoryBytes of [0, 20_000]) expect(await recordsOf({ keysPerBatch, memoryBytes })).to.deep.equal(expected)
  })

  it('leaves indexes that follow from the records, however hosts are cut by batches that are prepared while others are written', async () => {
    const score = fc.option(fc.constantFrom(0.1, 1, 1.5, 2, 7), { nil: 'removed' as const })
    const round = fc.uniqueArray(fc.record({ number: fc.nat(40), score }), { selector: ({ number }) => number, minLength: 1 })
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 2, maxLength: 4 }), fc.integer({ min: 1, max: 5 }), async (rounds, keysPerBatch) => {
        const folder = newFolder()
        await withTestDb(folder, async crawlDb => {
          await crawlDb.commits.run(() => crawlDb.commit([], [], true, { waterMark: { timeMs: 1, key: '' } })) // all of them are due
          for (const [number, changes] of rounds.entries()) {
            await mergeUpdates<DbDatum>({
              target: crawlDb,
              job: await crawlDb.ledger.begin({ ...job, inputs: [{ name: `round ${number}`, digest: '' }] }),
              updates: asyncList([changes.map(change => ({ key: keyOfUrl(storedUrl(urlOf(change.number))), payload: String(change.score) }))]),
              reduce: (key, _, [payload = '']) => (payload === 'removed' ? undefined : dbDatum({ url: urlOfKeyOf(key), score: Number(payload) })),
              spillFolder: join(folder, 'spool'),
              memoryBytes: 1000,
              keysPerBatch,
            })
            for await (const finding of verifyCrawlDb(crawlDb)) expect.fail(JSON.stringify(finding))
          }
        })
      }),
      { numRuns: 20 },
    )
  })

  it('ends a job that a build began which went through the keys the other way', async () => {
    const [whole, folder] = [newFolder(), newFolder()]
    await withTestDb(whole, crawlDb => merge(crawlDb, whole))
    for (const killAfter of [4, 3]) {
      const error = await withTestDb(folder, crawlDb => merge(crawlDb, folder, { killAfter, ofOlderBuild: true })).catch(thrown => thrown as Error)
      expect(error).to.be.instanceOf(Killed)
    }
    await withTestDb(folder, crawlDb => merge(crawlDb, folder))
    expect(differences(await readAllEntries(join(folder, 'crawldb')), await readAllEntries(join(whole, 'crawldb')))).to.deep.equal([])
  })

  it('reads the records of a CrawlDb from the last to the first, so that LevelDB does not compact what a job has just written', async () => {
    const folder = newFolder()
    await withTestDb(folder, async crawlDb => {
      const reads: (readonly string[])[] = []
      const readSorted = crawlDb.readSorted.bind(crawlDb)
      Object.assign(crawlDb, {
        readSorted: (keys: readonly string[]) => {
          reads.push(keys)
          return readSorted(keys)
        },
      })
      await merge(crawlDb, folder)
      const inOrder = [...urlsByKey.keys()].sort()
      expect(reads.flatMap(keys => [...keys].reverse())).to.deep.equal(inOrder.reverse())
      for (const keys of reads) expect(keys).to.deep.equal([...keys].sort())
    })
  })

  for (const { what, other, code } of [
    { what: 'another digest of its input', other: { inputs: [{ name: 'in', digest: 'e' }] }, code: 'JOB_INPUT_CHANGED' },
    { what: 'other options', other: { configHash: 'x' }, code: 'JOB_INPUT_CHANGED' },
    { what: 'another input', other: { inputs: [{ name: 'other', digest: 'd' }] }, code: 'JOB_UNFINISHED' },
    { what: 'another kind', other: { kind: 'inject' }, code: 'JOB_UNFINISHED' },
  ]) {
    it(`refuses to go on with ${what}, naming what was begun`, async () => {
      const folder = newFolder()
      await withTestDb(folder, crawlDb => merge(crawlDb, folder, { killAfter: 3 })).catch(() => undefined)
      await withTestDb(folder, async crawlDb => {
        const error = await crawlDb.ledger.begin({ ...job, ...other }).catch(thrown => thrown as CrawlError)
        expect(error).to.have.property('code', code)
        expect((error as CrawlError).message).to.include('count')
      })
    })
  }

  it('goes on with the time of the job that was begun, not with its own', async () => {
    const folder = newFolder()
    await withTestDb(folder, crawlDb => merge(crawlDb, folder, { killAfter: 3 })).catch(() => undefined)
    await withTestDb(folder, async crawlDb => {
      const resumed = await crawlDb.ledger.begin({ ...job, timeMs: 99_999 })
      expect(resumed).to.include({ timeMs: 1000, isResumed: true })
      expect(resumed.mark).to.be.a('string')
    })
  })

  it('commits nothing of an input that fails before its end', async () => {
    const folder = newFolder()
    await withTestDb(folder, async crawlDb => {
      const failing = mergeUpdates<DbDatum>({
        target: crawlDb,
        job: await crawlDb.ledger.begin(job),
        updates: (async function* failing() {
          yield updates.slice(0, 200)
          throw new Error('upstream failed')
        })(),
        reduce: (key, old, payloads) => addUp(urlOfKeyOf(key), old, payloads),
        spillFolder: join(folder, 'spool'),
        memoryBytes: 100,
        keysPerBatch: 5,
      })
      expect(await failing.catch(error => (error as Error).message)).to.equal('upstream failed')
      expect(crawlDb.count).to.equal(0)
      expect(await crawlDb.ledger.pending()).to.equal(undefined)
    })
  })
})
