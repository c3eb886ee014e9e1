import type { CrawlDb } from '../lib/crawldb/crawl-db.js'
import type { DbStatus } from '../lib/record/status.js'
import { keyOfUrl } from '../lib/record/url-key.js'
import type { IndexChange } from './index-documents.js'

const reasons: Partial<Record<DbStatus, string>> = {
  db_gone: 'gone',
  db_orphan: 'gone',
  db_redir_temp: 'redirected',
  db_redir_perm: 'redirected',
  db_duplicate: 'duplicate',
}

/** Deletions for all records that must not be found, whether they were indexed or not (Nutch's CleaningJob, with the redirects that its help promises). */
export async function* cleanChanges(crawlDb: CrawlDb): AsyncGenerator<IndexChange> {
  for await (const { url, status } of crawlDb.records()) {
    const reason = reasons[status]
    if (reason !== undefined) yield { action: 'delete', key: keyOfUrl(url), id: url, reason }
  }
}
