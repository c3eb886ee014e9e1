/** An entry of a feed while it is read. */
export interface FeedEntry {
  title: string
  link: string | undefined
  /** A permalink or id that stands for the link where there is none. */
  linkFallback: string | undefined
  summary: string
  publishedMs: number | undefined
  updatedMs: number | undefined
  /** Other links of the entry. */
  readonly others: { readonly reference: string; readonly rel: string; readonly element: string }[]
}

export function emptyEntry(): FeedEntry {
  return { title: '', link: undefined, linkFallback: undefined, summary: '', publishedMs: undefined, updatedMs: undefined, others: [] }
}
