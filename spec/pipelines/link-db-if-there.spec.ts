import { expect } from 'chai'
import { withLinkDb } from '../../lib/linkdb/open.js'
import { type JobContext, withJobDb } from '../../pipelines/job.js'
import { withLinkDbIfThere } from '../../pipelines/link-db-if-there.js'
import { specJob } from '../support/job-fixture.js'
import { failureOf } from '../support/stream-probe.js'
import { useTempFolders } from '../support/temp-folder.js'

describe('withLinkDbIfThere', () => {
  const newFolder = useTempFolders()
  const isThere = async (job: JobContext): Promise<boolean> => withLinkDbIfThere(job, async linkDb => linkDb !== undefined)
  /** Has the LinkDb open until it is let go. */
  const holding = (job: JobContext, use: (letGo: () => void) => Promise<void>): Promise<void> => {
    let letGo: () => void = () => undefined
    const free = new Promise<void>(resolve => {
      letGo = resolve
    })
    let used: Promise<void> = Promise.resolve()
    return withLinkDb({ folder: job.folder.root, config: job.config.db, isCreating: true }, () => {
      used = use(letGo)
      return free
    }).then(() => used)
  }

  it('lends nothing where there is none, and the db where there is one', async () => {
    const job = specJob(newFolder())
    expect(await isThere(job)).to.equal(false)
    await holding(job, async letGo => letGo())
    expect(await isThere(job)).to.equal(true)
  })

  it('inside a running crawl waits until that has it open no more', () =>
    withJobDb(
      specJob(newFolder()),
      async heldDb => {
        const job = { ...specJob(newFolder()), heldDb }
        let hasLetGo = false
        await holding(job, async letGo => {
          const found = isThere(job).then(answer => ({ answer, hasLetGo }))
          await failureOf(isThere({ ...job, heldDb: undefined })) // it has been tried meanwhile
          hasLetGo = true
          letGo()
          expect(await found).to.deep.equal({ answer: true, hasLetGo: true })
        })
      },
      true,
    ))

  it('does not wait for another process, nor when it is told to stop', async () => {
    const job = specJob(newFolder())
    await withJobDb(
      job,
      heldDb =>
        holding(job, async letGo => {
          expect(await failureOf(isThere(job))).to.have.property('code', 'DB_LOCKED')
          const stopped = isThere({ ...job, heldDb, signal: AbortSignal.abort(new Error('enough')) })
          expect(await failureOf(stopped)).to.have.property('name', 'AbortError')
          letGo()
        }),
      true,
    )
  })

  it('hands on what its user throws', async () => {
    const job = specJob(newFolder())
    await holding(job, async letGo => letGo())
    expect(await failureOf(withLinkDbIfThere(job, () => Promise.reject(new Error('mine'))))).to.have.property('message', 'mine')
  })
})
