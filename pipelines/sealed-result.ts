import { CrawlError, type CrawlErrorCode, messageOf } from '../lib/errors/crawl-error.js'
import type { PluginFailure, ReportFailure } from '../lib/plugin/plugin-failure.js'
import type { PageResult } from './page-work.js'

/** What comes back from a worker thread: a result or the error of one task, and the failures of plugins on the way. Plain data. */
export interface SealedResult {
  readonly result?: PageResult
  readonly error?: { readonly code: CrawlErrorCode; readonly message: string }
  readonly failures?: readonly PluginFailure[]
}

/** Runs the work of one task. `failures` are those reported meanwhile; they are taken out. An error that is no CrawlError is a defect, and thrown. */
export function sealResult(run: () => PageResult, failures: PluginFailure[]): SealedResult {
  try {
    const result = run()
    return failures.length === 0 ? { result } : { result, failures: failures.splice(0) }
  } catch (error) {
    if (!(error instanceof CrawlError)) throw error
    return { error: { code: error.code, message: messageOf(error) }, failures: failures.splice(0) }
  }
}

/** The result again, on the thread that asked for it. @throws {CrawlError} what the work threw there */
export function openResult({ result, error, failures = [] }: SealedResult, report: ReportFailure): PageResult {
  for (const failure of failures) report(failure)
  if (result !== undefined) return result
  throw new CrawlError(error?.code ?? 'PLUGIN_FAILED', error?.message ?? 'no result')
}
