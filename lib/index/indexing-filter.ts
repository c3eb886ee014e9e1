import type { IndexDocument, IndexedPage } from './document.js'

/** Changes documents, or leaves them out (Nutch's IndexingFilter). */
export interface IndexingFilter {
  readonly name: string
  /** The document as it is to go on, or undefined to leave the page out. If it throws, the page is left out and counted. */
  filter(document: IndexDocument, page: IndexedPage): IndexDocument | undefined | Promise<IndexDocument | undefined>
}
