import type { JobContext } from '../job.js'
import type { Ailment, Report } from './ailment.js'
import { checkCrawlDb } from './crawldb-checks.js'
import { checkFolderFiles } from './folder-files.js'
import { checkLeftovers } from './leftovers.js'
import { checkLinkDb } from './linkdb-checks.js'
import { checkSegments } from './segment-checks.js'

export interface DoctorOptions {
  readonly context: JobContext
  /** Repair what can be repaired. @defaultValue false: nothing is changed */
  readonly isRepairing?: boolean
  /** Told of each finding, and what became of it. */
  readonly onFinding: (ailment: Ailment, isRepaired: boolean) => void
}

export interface DoctorReport {
  readonly faults: number
  readonly repaired: number
  readonly notes: number
}

/**
 * Checks all that a crawl folder holds: the segments first, since the databases are rebuilt from them. @throws {CrawlError} DB_LOCKED while a
 * process works on it, and what a repair fails with
 */
export async function examine({ context, isRepairing = false, onFinding }: DoctorOptions): Promise<DoctorReport> {
  const counts = { faults: 0, repaired: 0, notes: 0 }
  const report: Report = async ailment => {
    const isRepaired = isRepairing && ailment.repair !== undefined
    if (isRepaired) await ailment.repair?.()
    if (ailment.isNote === true) counts.notes++
    else counts.faults++
    if (isRepaired && ailment.isNote !== true) counts.repaired++
    onFinding(ailment, isRepaired)
  }
  await checkSegments(context, report)
  await checkCrawlDb(context, report)
  await checkLinkDb(context, report)
  await checkFolderFiles(context, report)
  await checkLeftovers(context, report)
  return counts
}
