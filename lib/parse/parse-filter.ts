import { messageOf } from '../errors/crawl-error.js'
import type { Attributes } from './html/markup-handler.js'
import type { PageInput, PageParse } from './page.js'

/** Sees the markup of one HTML or XHTML page while it is read: everything, also what the parser itself passes over. Names are lower case. */
export interface PageObserver {
  openElement?(name: string, attributes: Attributes): void
  closeElement?(name: string): void
  /** Decoded text, scripts and styles included; a run may come in several parts. */
  characters?(text: string): void
  /** Called once, with what the parser and the filters before made of the page; gives what goes on. */
  finish?(parse: PageParse): PageParse
}

/** What a plugin may do with pages that are parsed (Nutch's HtmlParseFilter). Pure: the same page gives the same result in any thread. */
export interface ParseFilter {
  readonly name: string
  /** Called when a page of markup begins. */
  observe?(page: PageInput): PageObserver | undefined
  /** Takes the result of any page and gives what goes on. */
  filter?(parse: PageParse, page: PageInput): PageParse
}

/** An observer at work, under the name of its filter. */
export interface NamedObserver {
  readonly name: string
  readonly observer: PageObserver
}

/** A filter threw. The page's parse fails, the crawl goes on. */
export class ParseFilterFailure extends Error {
  override readonly name = 'ParseFilterFailure'
  constructor(filterName: string, cause: unknown) {
    super(`plugin: ${filterName}: ${messageOf(cause)}`, { cause })
  }
}

/** Calls a filter's function. @throws {ParseFilterFailure} if it throws */
export function callFilter<T>(name: string, call: () => T): T {
  try {
    return call()
  } catch (cause) {
    throw new ParseFilterFailure(name, cause)
  }
}

/** The observers of a page. @throws {ParseFilterFailure} */
export function startObservers(filters: readonly ParseFilter[], page: PageInput): NamedObserver[] {
  return filters.flatMap(filter => {
    const observer = callFilter(filter.name, () => filter.observe?.(page))
    return observer === undefined ? [] : [{ name: filter.name, observer }]
  })
}
