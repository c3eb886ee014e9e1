import type { ReadOptions } from '../document.js'
import type { RawPage } from '../raw-page.js'
import { isRobotsMetaName } from '../robots-directives.js'
import { collapseSpace } from '../text/text-builder.js'
import { relTokens } from './link-collector.js'
import type { Attributes } from './markup-handler.js'

/** Meta names, and contents of one name, that are kept. */
const maxMetaValues = 200

/** Takes from a link element what it says of the page itself: its canonical URL, the same page in other languages. */
export function takeLink(page: RawPage, { href, hreflang, rel }: Attributes, { maxLinks }: ReadOptions): void {
  if (href === undefined || rel === undefined) return
  const rels = relTokens(rel).split(' ')
  if (rels.includes('canonical') && href.trim() !== '') page.canonicalHref ??= href
  if (hreflang !== undefined && rels.includes('alternate') && page.alternates.length < maxLinks) {
    page.alternates.push({ hreflang: hreflang.trim(), reference: href })
  }
}

/** Takes from a meta element what a crawler heeds: refresh, caching, language, robots directives, and the names that are asked for. */
export function takeMeta(page: RawPage, attributes: Attributes, options: ReadOptions): void {
  const { content } = attributes
  if (content === undefined) return
  const httpEquiv = attributes['http-equiv']?.trim().toLowerCase()
  if (httpEquiv === 'refresh') page.refresh ??= content
  else if (httpEquiv === 'pragma' && /no-cache/i.test(content)) page.isUncacheable = true
  else if (httpEquiv === 'content-language' && page.lang === '') page.lang = content.split(',')[0]?.trim() ?? ''
  const name = (attributes.name ?? attributes.property ?? httpEquiv)?.trim().toLowerCase()
  if (name === undefined || name === '') return
  if (isRobotsMetaName(name, options.agentNames ?? [])) page.robots.push(content)
  if (!options.metaNames.includes(name) && !options.metaNames.includes('*')) return
  const values = page.metas.get(name) ?? []
  if (values.length < maxMetaValues && page.metas.size < maxMetaValues) page.metas.set(name, [...values, collapseSpace(content)])
}
