import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive } from '../../lib/control/is-alive.js'
import { systemCodeOf } from '../../lib/errors/crawl-error.js'
import { type JobContext, withJobDb } from '../job.js'
import type { Report } from './ailment.js'

/** What killed processes leave and nobody needs: runs of merges, half-written seeds, a stale holder file. The db is free, so nobody uses them. */
export async function checkLeftovers(context: JobContext, report: Report): Promise<void> {
  const { root, spool } = context.folder
  const pending = await withJobDb(context, async crawlDb => (await crawlDb.ledger.pending())?.id).catch(() => undefined) // damaged: reported before
  const stale = (await namesIn(spool)).filter(name => isLeftover(name, pending)).map(name => join(spool, name))
  const ours = (await namesIn(root))
    .filter(name => name === 'doctor.tmp' || /^(?:(?:crawl|status)\.json|politeness\.json\.\d+)\.tmp$/.test(name))
    .map(name => join(root, name))
  for (const path of [...stale, ...ours]) {
    const repair = (): Promise<void> => rm(path, { recursive: true, force: true })
    await report({ part: 'folder', problem: `${path} is a leftover of a killed process`, isNote: true, remedy: 'remove it', repair })
  }
}

/** Half-written seeds, or the runs of a sort: of a generate, of a process that has ended (`KIND-PID`), of a merge that is not the one under way (`KIND-ID`). */
function isLeftover(name: string, pendingId: string | undefined): boolean {
  if (name.endsWith('.tmp') || /^(?:generate-(?:ahead|lists)|locks-\d{14})$/.test(name)) return true
  const pid = /^(?:expire|freegen|index|politeness|readseg)-(\d+)(?:-|$)/.exec(name)?.[1]
  if (pid !== undefined) return !isAlive(Number(pid))
  const id = /^[a-z]+-([0-9a-f]{16})$/.exec(name)?.[1]
  return id !== undefined && id !== pendingId
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return []
    throw error
  }
}
