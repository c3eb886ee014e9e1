import type { IndexConfig } from '../config/index-options.js'
import type { DbDatum, FetchOutcome, Parse } from '../record/records.js'

/** What is to be done with a page, and why it is not simply added. */
export type IndexDecision = { readonly action: 'add' } | { readonly action: 'delete' | 'skip'; readonly reason: string }

const skip = (reason: string): IndexDecision => ({ action: 'skip', reason })

/** Decides by the page's outcome, its parse and its record as it is now (Nutch's IndexerMapReduce). Deletions only where they are asked for. */
export function decideIndexing(
  outcome: FetchOutcome,
  parse: Parse | undefined,
  datum: DbDatum | undefined,
  config: Pick<IndexConfig, 'deletes' | 'deletesNoindex' | 'skipsNotModified'>,
): IndexDecision {
  const deleteIfAsked = (reason: string): IndexDecision => (config.deletes ? { action: 'delete', reason } : skip(reason))
  switch (outcome.status) {
    case 'fetch_gone':
      return deleteIfAsked('gone')
    case 'fetch_redir_temp':
    case 'fetch_redir_perm':
      return deleteIfAsked('redirected')
    case 'fetch_retry':
      return skip('not fetched')
    case 'fetch_success':
    case 'fetch_notmodified':
      break
    default:
      return outcome.status satisfies never
  }
  if (datum === undefined) return skip('not in the CrawlDb')
  if (datum.status === 'db_duplicate') return deleteIfAsked('duplicate')
  if (datum.status === 'db_gone' || datum.status === 'db_orphan') return deleteIfAsked('gone')
  if (config.skipsNotModified && datum.status === 'db_notmodified') return skip('not modified')
  if (parse === undefined) return skip('not parsed')
  if (parse.robots.noindex) return config.deletesNoindex ? { action: 'delete', reason: 'noindex' } : skip('noindex')
  if (parse.robots.unavailableAfterMs !== undefined && parse.robots.unavailableAfterMs < outcome.timing.endMs) return deleteIfAsked('unavailable')
  if (parse.status !== 'success') return skip(`parse ${parse.status}`)
  return { action: 'add' }
}
