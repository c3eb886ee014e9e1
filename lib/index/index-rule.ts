import type { IndexConfig } from '../config/index-options.js'
import type { DbDatum, FetchOutcome, Parse } from '../record/records.js'

/** Why a page is not simply added; also the end of a counter's name. */
export type IndexReason =
  | 'gone'
  | 'redirected'
  | 'duplicate'
  | 'noindex'
  | 'unavailable'
  | 'not_fetched'
  | 'not_in_db'
  | 'not_modified'
  | 'not_parsed'
  | 'parse_failed'

/** What is to be done with a page. */
export type IndexDecision = { readonly action: 'add' } | { readonly action: 'delete' | 'skip'; readonly reason: IndexReason }

/** What a page's decision rests on. */
export interface IndexFacts {
  readonly outcome: FetchOutcome
  readonly parse: Parse | undefined
  /** The page's record as it is now. */
  readonly datum: DbDatum | undefined
  /** Whether the CrawlDb has taken in the page's segment: only then does a record that is not there say something. */
  readonly isApplied: boolean
  readonly nowMs: number
}

type Options = Pick<IndexConfig, 'deletes' | 'deletesNoindex' | 'deletesFailedParse' | 'skipsNotModified'>

/** Decides by the page's outcome, its parse and its record as it is now (Nutch's IndexerMapReduce). Deletions only where they are asked for. */
export function decideIndexing({ outcome, parse, datum, isApplied, nowMs }: IndexFacts, config: Options): IndexDecision {
  const out = (reason: IndexReason, deletes = config.deletes): IndexDecision => ({ action: deletes ? 'delete' : 'skip', reason })
  const fetched = outcome.status
  if (fetched === 'fetch_retry') return out('not_fetched', false)
  if (parse?.robots.noindex === true) return out('noindex', config.deletesNoindex)
  if (fetched === 'fetch_gone' || datum?.status === 'db_gone' || datum?.status === 'db_orphan') return out('gone')
  if (isRedirect(fetched) || isRedirect(datum?.status)) return out('redirected')
  if (datum === undefined) return out('not_in_db', config.deletes && isApplied)
  if (datum.status === 'db_duplicate') return out('duplicate')
  if (config.skipsNotModified && datum.status === 'db_notmodified') return out('not_modified', false)
  if (parse?.robots.unavailableAfterMs !== undefined && parse.robots.unavailableAfterMs <= nowMs) return out('unavailable')
  if (parse?.status === 'failed' || datum.status === 'db_parse_failed') return out('parse_failed', config.deletesFailedParse)
  return parse?.status === 'success' ? { action: 'add' } : out('not_parsed', false)
}

function isRedirect(status: FetchOutcome['status'] | DbDatum['status'] | undefined): boolean {
  return status === 'fetch_redir_temp' || status === 'fetch_redir_perm' || status === 'db_redir_temp' || status === 'db_redir_perm'
}
