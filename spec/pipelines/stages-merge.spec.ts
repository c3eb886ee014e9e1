import { readdirSync } from 'node:fs'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect } from 'chai'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import type { CrawlDatum } from '../../lib/record/records.js'
import { mapRecords } from '../../lib/stream/stage.js'
import type { InjectReport } from '../../pipelines/inject.js'
import { type JobContext, withJobDb } from '../../pipelines/job.js'
import { mergeRecords } from '../../pipelines/stages.js'
import { datumOf } from '../segment/segment-fixtures.js'
import { allRecords, specJob } from '../support/job-fixture.js'
import { failureOf } from '../support/stream-probe.js'
import { useTempFolders } from '../support/temp-folder.js'

const urlOf = (index: number): string => `http://a.test/${index}`
const injected = (index: number): CrawlDatum => ({ ...datumOf(urlOf(index)), status: 'injected', score: 2 })

async function discard(source: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of source);
}

describe('mergeRecords', () => {
  const newFolder = useTempFolders()
  const withDb = async (use: (crawlDb: CrawlDb, job: JobContext) => Promise<void>): Promise<JobContext> => {
    const job = specJob(newFolder())
    await withJobDb(job, crawlDb => use(crawlDb, job), true)
    return job
  }
  const urlsIn = async (job: JobContext): Promise<string[]> => [...(await allRecords(job)).keys()]
  const records = (count: number): Readable => Readable.from(Array.from({ length: count }, (_, index) => injected(index)))

  it('is a Transform that gives one report when all have come, and leaves nothing on disk but the db', async () => {
    const job = await withDb(async (crawlDb, context) => {
      const stage = mergeRecords(crawlDb, context)
      expect(stage).to.be.instanceOf(Transform)
      const reports: InjectReport[] = await records(3000).pipe(stage).toArray()
      expect(reports).to.have.length(1)
      expect(reports[0]).to.include({ added: 3000, merged: 0 })
      expect(readdirSync(context.folder.spool)).to.deep.equal([])
    })
    expect(await urlsIn(job)).to.have.length(3000)
  })

  it('commits nothing if what stands before it fails, or it is aborted', async () => {
    const job = await withDb(async (crawlDb, context) => {
      const closings: Promise<unknown>[] = []
      const merging = (): Transform => {
        const stage = mergeRecords(crawlDb, context)
        closings.push(new Promise(resolve => stage.once('close', resolve))) // a pipeline that fails does not wait for it
        return stage
      }
      const broken = Readable.from(
        (async function* () {
          for (let index = 0; index < 2000; index++) yield injected(index)
          throw new Error('upstream')
        })(),
      )
      const failed = await failureOf(pipeline(broken, merging(), discard))
      expect(failed).to.have.property('message', 'upstream')
      const stop = new AbortController()
      const aborting = mapRecords((datum: CrawlDatum) => {
        if (datum.url === urlOf(500)) stop.abort()
        return datum
      })
      const signal = { signal: stop.signal }
      const aborted = await failureOf(pipeline(records(2000), aborting, merging(), discard, signal))
      expect(aborted).to.have.property('name', 'AbortError')
      await Promise.all(closings)
      expect(readdirSync(context.folder.spool)).to.deep.equal([])
    })
    expect(await urlsIn(job)).to.deep.equal([])
  })

  it('fails, and does not wait for ever, if the records find no place on disk', async () => {
    await withDb(async (crawlDb, context) => {
      const nowhere = { ...context, folder: { ...context.folder, spool: '/dev/null/spool' } }
      const failure = await failureOf(pipeline(records(5000), mergeRecords(crawlDb, nowhere), discard))
      expect(failure).to.be.instanceOf(Error)
    })
  })
})
