import { readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import { injectInto } from '../../pipelines/inject.js'
import { type JobContext, urlRulesOf, withJobDb } from '../../pipelines/job.js'
import { finishPendingJob } from '../../pipelines/pending-job.js'
import { spoolSeeds } from '../../pipelines/seed-files.js'
import { allRecords, specJob } from '../support/job-fixture.js'
import { killedAtCommit } from '../support/kill-at-commit.js'
import { runCommand } from '../support/run-command.js'
import { acceptAll } from '../support/small-site.js'
import { useTempFolders } from '../support/temp-folder.js'

describe('seeds that were piped in', () => {
  const newFolder = useTempFolders()
  const seeds = Array.from({ length: 5 }, (_, index) => `http://a.example/${index}\n`).join('')
  const properties = { 'millrace.merge.batch': 1, 'urlfilter.regex.rules': '+.' }

  const rulesOf = (context: JobContext) => {
    const rules = urlRulesOf(context)
    return { normalize: (raw: string) => rules.normalize(raw, 'inject'), accepts: (url: Parameters<typeof rules.accepts>[0]) => rules.accepts(url) }
  }
  const spooled = (context: JobContext): Promise<string> => spoolSeeds(Readable.from([Buffer.from(seeds)]), context.folder.spool)

  /** A crawl whose inject was killed amid its batches, in a folder that was moved since. */
  async function movedAfterKill(): Promise<JobContext> {
    const folder = newFolder()
    const before = specJob(join(folder, 'before'), properties)
    const files = [await spooled(before)]
    const inject = async (): Promise<void> => {
      await withJobDb(
        before,
        crawlDb => killedAtCommit(crawlDb, 2, async () => void (await injectInto(crawlDb, { context: before, files, rules: rulesOf(before) }))),
        true,
      )
    }
    await inject()
    expect(await allRecords(before))
      .to.have.property('size')
      .within(1, 4)
    renameSync(join(folder, 'before'), join(folder, 'after'))
    return specJob(join(folder, 'after'), properties)
  }

  it('go on in a folder that was moved, with the same seeds', async () => {
    const context = await movedAfterKill()
    const files = [await spooled(context)]
    await withJobDb(context, crawlDb => injectInto(crawlDb, { context, files, rules: rulesOf(context) }))
    expect(await allRecords(context)).to.have.property('size', 5)
  })

  it('are finished by a crawl in a folder that was moved, without the seeds', async () => {
    const context = await movedAfterKill()
    await withJobDb(context, async crawlDb => {
      await finishPendingJob(crawlDb, context, { rules: rulesOf(context) })
      expect(await crawlDb.ledger.pending()).to.equal(undefined)
    })
    expect(await allRecords(context)).to.have.property('size', 5)
  })

  for (const { name, args, stdin } of [
    { name: 'inject', args: ['inject', 'DIR', '-', ...acceptAll], stdin: seeds },
    { name: 'freegen', args: ['freegen', 'DIR', '-', ...acceptAll], stdin: seeds },
    { name: 'freegen --dry-run', args: ['freegen', 'DIR', '-', '--dry-run', ...acceptAll], stdin: seeds },
    { name: 'crawl', args: ['crawl', 'DIR', 'ftp://a.example/', '--rounds', '1'], stdin: '' },
  ])
    it(`do not stay on disk once ${name} is done with them`, async () => {
      const crawl = join(newFolder(), 'crawl')
      await runCommand(
        args.map(arg => (arg === 'DIR' ? crawl : arg)),
        { stdin },
      )
      expect(readdirSync(join(crawl, 'spool')).filter(file => file.startsWith('seeds-'))).to.deep.equal([])
    })
})
