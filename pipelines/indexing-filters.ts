import { type IndexDocument, type IndexedPage, isIndexDocument } from '../lib/index/document.js'
import { Patience } from '../lib/plugin/patience.js'
import { failureOf, pluginFailed } from '../lib/plugin/plugin-failure.js'
import type { JobContext } from './job.js'

/** The document behind the indexing filters of plugins; `left_out` if one gives none, `failed` if one throws or does not answer: that is reported. */
export async function filterDocument(
  { plugins, config }: Pick<JobContext, 'plugins' | 'config'>,
  document: IndexDocument,
  page: IndexedPage,
): Promise<IndexDocument | 'left_out' | 'failed'> {
  const patience = new Patience(config.crawl.pluginTimeoutMs)
  let current = document
  for (const loaded of plugins.indexingFilters) {
    try {
      const next: unknown = await patience.answer(loaded.plugin.filter(current, page))
      if (next === undefined || next === null) return 'left_out'
      if (!isIndexDocument(next)) throw new TypeError('gave no document: { id: text, fields: object of texts, numbers, truths or lists of texts }')
      current = next
    } catch (error) {
      plugins.report(failureOf(loaded, pluginFailed(loaded, 'filter', error)))
      return 'failed'
    }
  }
  return current
}
