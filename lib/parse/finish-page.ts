import type { Metadata } from '../record/metadata.js'
import type { RobotsDirectives } from '../record/records.js'
import { headerUrlText } from '../url/header-url.js'
import type { PageDocument, ReadOptions, ReadPage } from './document.js'
import { parseRefresh } from './html/refresh.js'
import type { LanguageAlternate, PageInput, PageLink, PageParse, Refresh } from './page.js'
import type { RawPage } from './raw-page.js'
import { type LinkResolver, linkResolver } from './resolve-link.js'
import { headerValues, linkHeaders } from './response-headers.js'
import { mergeDirectives, noDirectives, parseDirectives, parseRobotsHeaders } from './robots-directives.js'

/** Resolves what a reader found against the page's base, and adds what the response headers say. */
export function finishPage(document: PageDocument, read: ReadPage, options: ReadOptions): PageParse {
  const { page, charset } = document
  const { raw } = read
  const resolver = resolverOf(page, raw)
  const refresh = refreshOf(raw.refresh ?? headerValues(page, 'refresh').map(headerUrlText)[0], resolver, page.url)
  const canonical = canonicalOf(page, raw, resolver)
  const cause = document.isOverTime ? `timeout: longer than ${options.timeoutMs} ms` : read.fault
  return {
    url: page.url,
    status: document.isOverTime ? 'failed' : 'success',
    ...(cause === undefined ? {} : { cause }),
    mediaType: document.mediaType,
    charset: charset.charset,
    charsetSource: charset.source,
    title: raw.title,
    text: read.text,
    lang: raw.lang === '' ? (headerValues(page, 'content-language')[0]?.split(',')[0]?.trim() ?? '') : raw.lang,
    base: resolver.base,
    ...(canonical === undefined ? {} : { canonical }),
    alternates: alternatesOf(page, raw, resolver),
    robots: robotsOf(page, raw, options),
    ...(refresh === undefined ? {} : { refresh }),
    headings: raw.headings,
    ...resolveLinks(raw, resolver),
    metadata: metadataOf(document, raw, options),
  }
}

/** The first base element counts for the whole page, also for what stands before it; one that is no web address is ignored. */
function resolverOf(page: PageInput, raw: RawPage): LinkResolver {
  const own = linkResolver(page.baseUrl ?? page.url)
  const base = raw.baseHref === undefined ? undefined : absolute(own, raw.baseHref)
  return base === undefined ? own : linkResolver(base)
}

function absolute(resolver: LinkResolver, reference: string): string | undefined {
  const url = resolver.resolve(reference)
  return url === 'scheme' ? undefined : url
}

/** The page's own word before that of its Link header (RFC 6596). */
function canonicalOf(page: PageInput, raw: RawPage, resolver: LinkResolver): string | undefined {
  if (raw.canonicalHref !== undefined) return absolute(resolver, raw.canonicalHref)
  const header = linkHeaders(page).find(({ rels }) => rels.includes('canonical'))
  return header === undefined ? undefined : absolute(linkResolver(page.url), header.reference)
}

function alternatesOf(page: PageInput, raw: RawPage, resolver: LinkResolver): LanguageAlternate[] {
  const fromHeaders = linkHeaders(page).flatMap(({ rels, hreflang, reference }) =>
    rels.includes('alternate') && hreflang !== undefined ? [{ hreflang, reference }] : [],
  )
  return [...raw.alternates, ...fromHeaders].flatMap(({ hreflang, reference }) => {
    const url = absolute(resolver, reference)
    return url === undefined ? [] : [{ hreflang, url }]
  })
}

function robotsOf(page: PageInput, raw: RawPage, options: ReadOptions): RobotsDirectives {
  let robots = parseRobotsHeaders(headerValues(page, 'x-robots-tag'), options.agentNames ?? [])
  for (const content of raw.robots) robots = mergeDirectives(robots, parseDirectives(content))
  return raw.isUncacheable ? mergeDirectives(robots, { ...noDirectives, noarchive: true }) : robots
}

function resolveLinks(raw: RawPage, resolver: LinkResolver): Pick<PageParse, 'links' | 'linkCounts'> {
  const links: PageLink[] = []
  const linkCounts: Record<string, number> = {}
  const count = (name: string, by = 1): void => {
    if (by > 0) linkCounts[name] = (linkCounts[name] ?? 0) + by
  }
  for (const { reference, anchor, rel, element, timeMs } of raw.links) {
    const url = resolver.resolve(reference)
    if (url === undefined) count('unresolvable')
    else if (url === 'scheme') count('scheme')
    else links.push(timeMs === undefined ? { url, anchor, rel, element } : { url, anchor, rel, element, timeMs })
  }
  count('over_limit', raw.linksOverLimit)
  return { links, linkCounts }
}

function refreshOf(content: string | undefined, resolver: LinkResolver, pageUrl: string): Refresh | undefined {
  const directive = content === undefined ? undefined : parseRefresh(content)
  if (directive === undefined) return undefined
  const url = directive.url === '' ? pageUrl : absolute(resolver, directive.url)
  return url === undefined ? undefined : { delayMs: directive.delayMs, url }
}

/** Meta elements as `metatag.NAME` and headings as `h1`, …, as Nutch's plugins parse-metatags and headings name them; several are joined by
 *  line ends. */
function metadataOf(document: PageDocument, raw: RawPage, options: ReadOptions): Metadata {
  const metadata: Record<string, string> = {}
  if (document.charset.declared !== undefined) metadata.OriginalCharEncoding = document.charset.declared
  for (const [name, values] of raw.metas) metadata[`metatag.${name}`] = values.join('\n')
  for (const element of options.headingElements) {
    const texts = raw.headings.filter(({ level }) => element === `h${level}`).map(({ text }) => text)
    if (texts.length > 0) metadata[element] = texts.join('\n')
  }
  return metadata
}
