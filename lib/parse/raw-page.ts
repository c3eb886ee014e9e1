import type { Heading } from './page.js'

/** A link with its reference as written; resolved when the page's base is known, which may come after it. */
export interface RawLink {
  readonly reference: string
  readonly rel: string
  readonly element: string
  readonly timeMs?: number
  anchor: string
}

/** What the markup of a page says, before references are resolved. */
export interface RawPage {
  title: string
  lang: string
  baseHref: string | undefined
  canonicalHref: string | undefined
  refresh: string | undefined
  readonly alternates: { readonly hreflang: string; readonly reference: string }[]
  readonly robots: string[]
  isUncacheable: boolean
  readonly headings: Heading[]
  readonly links: RawLink[]
  /** By name of the meta element, lower case, each with all its contents. */
  readonly metas: Map<string, string[]>
  /** Links left out because the page holds too many. */
  linksOverLimit: number
}

export function emptyRawPage(): RawPage {
  return {
    title: '',
    lang: '',
    baseHref: undefined,
    canonicalHref: undefined,
    refresh: undefined,
    alternates: [],
    robots: [],
    isUncacheable: false,
    headings: [],
    links: [],
    metas: new Map(),
    linksOverLimit: 0,
  }
}
