import { access } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import { Segment } from '../lib/segment/segment.js'
import { dedup } from './dedup.js'
import { finishPendingGenerate } from './generate.js'
import { type InjectJob, injectInto } from './inject.js'
import type { JobContext } from './job.js'
import { sweep } from './sweep.js'
import { updatedb } from './updatedb.js'

/** Finishes the job that a killed process left in the db, if all that it needs is still there; otherwise the next job says what stands in its way. */
export async function finishPendingJob(crawlDb: CrawlDb, context: JobContext, injectJob?: Omit<InjectJob, 'files' | 'context'>): Promise<void> {
  const pending = await crawlDb.ledger.pending()
  if (pending === undefined) return
  context.log.info({ job: pending.kind, begun: new Date(pending.timeMs).toISOString() }, 'finishing a job that was cut off')
  const names = pending.inputs.map(input => input.name)
  switch (pending.kind) {
    case 'generate':
      return finishPendingGenerate(crawlDb, context)
    case 'updatedb': {
      const segments = await Promise.all(names.map(name => Segment.open(join(context.folder.segments, name))))
      await updatedb(crawlDb, { context, segments })
      return
    }
    case 'dedup':
      await dedup(crawlDb, { context })
      return
    case 'sweep':
      await sweep(crawlDb, context)
      return
    case 'inject': {
      const files = names.map(name => resolve(context.folder.root, name))
      if (injectJob !== undefined && (await areThere(files))) await injectInto(crawlDb, { ...injectJob, context, files })
      return
    }
    default:
      return // the next job's begin() names it
  }
}

async function areThere(files: readonly string[]): Promise<boolean> {
  const found = await Promise.all(
    files.map(file =>
      access(file).then(
        () => true,
        () => false,
      ),
    ),
  )
  return found.every(Boolean)
}
