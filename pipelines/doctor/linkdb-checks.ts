import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isCrawlError, messageOf, systemCodeOf } from '../../lib/errors/crawl-error.js'
import type { LinkDb } from '../../lib/linkdb/link-db.js'
import { withLinkDb } from '../../lib/linkdb/open.js'
import { listSegments } from '../../lib/segment/segment.js'
import { invertlinks } from '../invertlinks.js'
import type { JobContext } from '../job.js'
import type { Report } from './ailment.js'

/** Reads the whole LinkDb, if there is one, and counts its links from both sides. All of it follows from the segments, so it can be made anew. */
export async function checkLinkDb(context: JobContext, report: Report): Promise<void> {
  const { folder, config } = context
  const problem = await withLinkDb({ folder: folder.root, config: config.db }, faultOf).catch(error => {
    if (isCrawlError(error, 'DB_LOCKED')) throw error
    const isDamage = isCrawlError(error, 'DB_DAMAGED') || isCrawlError(error, 'RECORD_CORRUPT') || systemCodeOf(error) === 'LEVEL_CORRUPTION'
    if (isDamage) return messageOf(error)
    if (!isCrawlError(error, 'DB_MISSING')) throw error
    return undefined
  })
  if (problem === undefined) return
  const remedy = 'make it anew from the segments; the damaged folder is kept beside it'
  await report({ part: 'linkdb', problem, remedy, repair: () => makeAnew(context) })
}

async function faultOf(linkDb: LinkDb): Promise<string | undefined> {
  const [fault] = await linkDb.ledger.faults()
  if (fault !== undefined) return fault
  let [bySource, byTarget] = [0, 0]
  for await (const { links } of linkDb.bySource()) bySource += links.length
  for await (const { inlinks } of linkDb.byTarget()) byTarget += inlinks.length
  return bySource === byTarget ? undefined : `${bySource} links stand under their sources, ${byTarget} under their targets`
}

async function makeAnew(context: JobContext): Promise<void> {
  const place = join(context.folder.root, 'linkdb')
  await rename(place, await freeName(`${place}.damaged`))
  const segments = []
  for (const segment of await listSegments(context.folder.segments)) {
    const state = await segment.state()
    if (state === 'parsed' || state === 'sealed') segments.push(segment)
  }
  await invertlinks({ context, segments })
}

async function freeName(path: string): Promise<string> {
  for (let number = 1; ; number++) if (!(await isFolder(`${path}-${number}`))) return `${path}-${number}`
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    found => found.isDirectory(),
    () => false,
  )
}
