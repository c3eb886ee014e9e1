import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import { changeRecords } from '../../pipelines/change-records.js'
import { injectInto } from '../../pipelines/inject.js'
import { type JobContext, urlRulesOf, withJobDb } from '../../pipelines/job.js'
import { specJob } from '../support/job-fixture.js'
import { killedAtCommit } from '../support/kill-at-commit.js'
import { runCommand } from '../support/run-command.js'
import { acceptAll, linesOf } from '../support/small-site.js'
import { failureOf } from '../support/stream-probe.js'
import { useTempFolders } from '../support/temp-folder.js'

// A job that was cut off keeps all others waiting; where nobody can give it again what it read, there was no way on.
describe('millrace doctor, of a job that was cut off', () => {
  const newFolder = useTempFolders()
  const doneBefore = 2 // batches of one record; the commit before them enters the job
  const seedLines = (count: number): string => Array.from({ length: count }, (_, index) => `http://a.example/${index}\n`).join('')
  const urlsIn = async (crawl: string): Promise<number> => linesOf(await runCommand(['readdb', crawl, '--dump', '--format', 'lines'])).length

  async function injectFile(crawlDb: CrawlDb, context: JobContext, file: string): Promise<void> {
    const rules = urlRulesOf(context)
    await injectInto(crawlDb, { context, files: [file], rules: { normalize: raw => rules.normalize(raw, 'inject'), accepts: () => true } })
  }

  /** A crawl with ten seeds, of which an inject was killed after two. */
  async function cutOff(): Promise<{ readonly crawl: string; readonly seeds: string }> {
    const folder = newFolder()
    const [crawl, seeds] = [join(folder, 'crawl'), join(folder, 'seeds.txt')]
    writeFileSync(seeds, seedLines(10))
    const context = specJob(crawl, { 'millrace.merge.batch': 1 })
    await withJobDb(context, crawlDb => killedAtCommit(crawlDb, 1 + doneBefore, () => injectFile(crawlDb, context, seeds)), true)
    return { crawl, seeds }
  }

  it('lets go of an inject whose seeds have changed: what it has done stays, and other jobs run', async () => {
    const { crawl, seeds } = await cutOff()
    writeFileSync(seeds, seedLines(2))
    for (const args of [
      ['inject', crawl, seeds, ...acceptAll],
      ['generate', crawl],
    ]) {
      const failure = await failureOf(runCommand(args))
      expect(failure).to.have.property('code').that.matches(/^JOB_/)
      expect(failure).to.have.property('message').that.contains('millrace doctor --repair')
    }
    const [note] = linesOf(await runCommand(['doctor', crawl]))
    expect(note).to.match(/^note job: inject of .*seeds\.txt, begun .*, was cut off: the same command goes on\. --repair would let go of it/)
    expect((await runCommand(['doctor', crawl, '--repair'])).status).to.equal(0)
    expect(linesOf(await runCommand(['doctor', crawl]))).to.deep.equal([])
    expect(await urlsIn(crawl)).to.equal(doneBefore)
    await runCommand(['inject', crawl, seeds, ...acceptAll])
    expect((await runCommand(['generate', crawl, ...acceptAll])).status).to.equal(0)
  })

  it('lets go of a change of records that nobody remembers the options of', async () => {
    const crawl = join(newFolder(), 'crawl')
    await runCommand(['inject', crawl, '-', ...acceptAll], { stdin: seedLines(10) })
    const context = specJob(crawl, { 'millrace.merge.batch': 1 })
    const records = { choice: { range: {}, matches: () => true, tests: false, isAll: true } }
    const change = async (crawlDb: CrawlDb): Promise<void> => {
      await changeRecords(crawlDb, { context, kind: 'reschedule', records, change: datum => ({ ...datum, fetchIntervalS: 60 }), said: 'once' })
    }
    await withJobDb(context, crawlDb => killedAtCommit(crawlDb, 1 + doneBefore, () => change(crawlDb)))
    expect(await failureOf(runCommand(['generate', crawl]))).to.have.property('code', 'JOB_UNFINISHED')
    await runCommand(['doctor', crawl, '--repair'])
    const changed = await runCommand(['readdb', crawl, '--dump', '--expr', 'interval == 60', '--format', 'lines'])
    expect(linesOf(changed)).to.have.lengthOf(doneBefore)
    expect((await runCommand(['generate', crawl, ...acceptAll])).status).to.equal(0)
  })
})
