import { type IndexDocument, type IndexedPage, isIndexDocument } from '../lib/index/document.js'
import { failureOf, pluginFailed } from '../lib/plugin/plugin-failure.js'
import type { JobContext } from './job.js'

/** The document behind the indexing filters of plugins; `left_out` if one gives none, `failed` if one throws: that is reported. */
export async function filterDocument(
  { plugins }: Pick<JobContext, 'plugins'>,
  document: IndexDocument,
  page: IndexedPage,
): Promise<IndexDocument | 'left_out' | 'failed'> {
  let current = document
  for (const loaded of plugins.indexingFilters) {
    try {
      const next: unknown = await loaded.plugin.filter(current, page)
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
