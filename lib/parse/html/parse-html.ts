import type { Metadata } from '../../record/metadata.js'
import { type CharsetDecision, decideCharset } from '../charset/decide-charset.js'
import { decodeBytes } from '../charset/decode-bytes.js'
import type { PageInput, PageLink, PageParse, Refresh } from '../page.js'
import { type LinkResolver, linkResolver } from '../resolve-link.js'
import { mergeDirectives, noDirectives, parseDirectives, parseRobotsHeaders } from '../robots-directives.js'
import { HtmlReader } from './html-reader.js'
import { type CollectorConfig, PageCollector } from './page-collector.js'
import type { RawPage } from './raw-page.js'
import { parseRefresh } from './refresh.js'

/** Reads a page as HTML in one pass over its bytes. */
export function parseHtml(page: PageInput, mediaType: string, options: CollectorConfig): PageParse {
  const decision = decideCharset(page.bytes, page.contentType, options)
  const collector = new PageCollector(options)
  const reader = new HtmlReader(collector, options)
  const startMs = performance.now()
  for (const piece of decodeBytes(page.bytes.subarray(decision.markBytes), decision.charset)) {
    reader.write(piece)
    if (options.timeoutMs >= 0 && performance.now() - startMs > options.timeoutMs) {
      return { ...finish(page, mediaType, decision, collector, options), status: 'failed', cause: `timeout: longer than ${options.timeoutMs} ms` }
    }
  }
  reader.end()
  return finish(page, mediaType, decision, collector, options)
}

function finish(page: PageInput, mediaType: string, decision: CharsetDecision, collector: PageCollector, options: CollectorConfig): PageParse {
  collector.end()
  const raw = collector.page
  const resolver = resolverOf(page, raw)
  const { links, linkCounts } = resolveLinks(raw, resolver)
  const headers = page.headers ?? []
  const valuesOf = (name: string): string[] => headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value)
  const canonical = raw.canonicalHref === undefined ? undefined : absolute(resolver, raw.canonicalHref)
  const refresh = refreshOf(raw.refresh ?? valuesOf('refresh')[0], resolver, page.url)
  let robots = parseRobotsHeaders(valuesOf('x-robots-tag'), options.agentNames ?? [])
  for (const content of raw.robots) robots = mergeDirectives(robots, parseDirectives(content))
  if (raw.isUncacheable) robots = mergeDirectives(robots, { ...noDirectives, noarchive: true })
  return {
    url: page.url,
    status: 'success',
    mediaType,
    charset: decision.charset,
    charsetSource: decision.source,
    title: raw.title,
    text: collector.text,
    lang: raw.lang,
    base: resolver.base,
    ...(canonical === undefined ? {} : { canonical }),
    alternates: raw.alternates.flatMap(({ hreflang, reference }) => {
      const url = absolute(resolver, reference)
      return url === undefined ? [] : [{ hreflang, url }]
    }),
    robots,
    ...(refresh === undefined ? {} : { refresh }),
    headings: raw.headings,
    links,
    linkCounts,
    metadata: metadataOf(raw, options),
  }
}

/** The first base element counts for the whole page, also for what stands before it; one that is no web address is ignored. */
function resolverOf(page: PageInput, raw: RawPage): LinkResolver {
  const documentUrl = page.baseUrl ?? page.url
  const own = linkResolver(documentUrl)
  const base = raw.baseHref === undefined ? undefined : absolute(own, raw.baseHref)
  return base === undefined ? own : linkResolver(base)
}

function absolute(resolver: LinkResolver, reference: string): string | undefined {
  const url = resolver.resolve(reference)
  return url === 'scheme' ? undefined : url
}

function resolveLinks(raw: RawPage, resolver: LinkResolver): Pick<PageParse, 'links' | 'linkCounts'> {
  const links: PageLink[] = []
  const linkCounts: Record<string, number> = {}
  const count = (name: string, by = 1): void => {
    if (by > 0) linkCounts[name] = (linkCounts[name] ?? 0) + by
  }
  for (const { reference, anchor, rel, element } of raw.links) {
    const url = resolver.resolve(reference)
    if (url === undefined) count('unresolvable')
    else if (url === 'scheme') count('scheme')
    else links.push({ url, anchor, rel, element })
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

/** Meta elements as `metatag.NAME` and headings as `h1`, … as Nutch's parse-metatags and headings plugins name them; several are joined by line ends. */
function metadataOf(raw: RawPage, options: CollectorConfig): Metadata {
  const metadata: Record<string, string> = {}
  for (const [name, values] of raw.metas) metadata[`metatag.${name}`] = values.join('\n')
  for (const element of options.headingElements) {
    const texts = raw.headings.filter(({ level }) => element === `h${level}`).map(({ text }) => text)
    if (texts.length > 0) metadata[element] = texts.join('\n')
  }
  return metadata
}
