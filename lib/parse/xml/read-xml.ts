import type { PageReader, ReadOptions } from '../document.js'
import { emptyRawPage, type RawLink, type RawPage } from '../raw-page.js'
import { collapseSpace, TextBuilder } from '../text/text-builder.js'
import { type XmlElement, type XmlHandler, type XmlName, XmlReader } from './xml-reader.js'

/** Attributes that hold a link, by element; `*` for any. SVG, OPML, XLink, and what sitemaps and Google Earth files carry. */
const linkAttributes: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'xlink:href'],
  image: ['href', 'xlink:href'],
  use: ['href', 'xlink:href'],
  outline: ['xmlurl', 'htmlurl', 'url'],
  link: ['href'],
  '*': ['xlink:href'],
}
/** Elements whose text is a link. */
const linkElements = new Set(['loc', 'href', 'url', 'link'])
const hiddenElements = new Set(['style', 'script', 'metadata', 'defs'])

/** Collects text and links of any XML. */
class XmlCollector implements XmlHandler {
  readonly page: RawPage = emptyRawPage()
  readonly #options: ReadOptions
  readonly text: TextBuilder
  #depth = 0
  #hiddenDepth = Number.POSITIVE_INFINITY
  #content = ''
  #titleDepth = Number.POSITIVE_INFINITY
  /** The `a` that is open, whose text is the anchor of a link. */
  #anchor: { readonly depth: number; readonly link: RawLink; text: string } | undefined

  constructor(options: ReadOptions) {
    this.#options = options
    this.text = new TextBuilder(options.maxTextChars)
  }

  openElement({ local, attributes }: XmlElement): void {
    this.#depth++
    this.#content = ''
    if (hiddenElements.has(local) && this.#depth < this.#hiddenDepth) this.#hiddenDepth = this.#depth
    if (local === 'title' && this.page.title === '') this.#titleDepth = this.#depth
    if (this.page.lang === '') this.page.lang = attributes['xml:lang']?.trim() ?? ''
    if (attributes['xml:base'] !== undefined && this.#depth === 1) this.page.baseHref = attributes['xml:base']
    const linkCount = this.page.links.length
    for (const name of linkAttributes[Object.hasOwn(linkAttributes, local) ? local : '*'] ?? []) {
      const reference = attributes[name]
      if (reference !== undefined && !reference.startsWith('#')) this.#add(reference, local, attributes.text ?? attributes.title ?? '')
    }
    const link = this.page.links[linkCount]
    if (local === 'a' && this.#anchor === undefined && link !== undefined) this.#anchor = { depth: this.#depth, link, text: '' }
    if (local === 'outline') this.#addLine(attributes.text ?? attributes.title ?? '')
  }

  closeElement({ local }: XmlName): void {
    const content = this.#content.trim()
    this.#content = ''
    if (linkElements.has(local) && /^(?:https?|ftp):\/\/\S+$/i.test(content)) this.#add(content, local, '')
    if (this.#titleDepth === this.#depth) {
      this.page.title = collapseSpace(content)
      this.#titleDepth = Number.POSITIVE_INFINITY
    }
    if (this.#anchor?.depth === this.#depth) {
      this.#anchor.link.anchor ||= collapseSpace(this.#anchor.text)
      this.#anchor = undefined
    } else if (this.#anchor !== undefined) this.#anchor.text += ' '
    if (this.#hiddenDepth === this.#depth) this.#hiddenDepth = Number.POSITIVE_INFINITY
    this.text.breakLine()
    this.#depth--
  }

  characters(text: string): void {
    if (this.#content.length < this.#options.maxAttributeChars) this.#content += text
    if (this.#hiddenDepth !== Number.POSITIVE_INFINITY) return
    this.text.add(text)
    if (this.#anchor !== undefined && this.#anchor.text.length < this.#options.maxAttributeChars) this.#anchor.text += text
  }

  #add(reference: string, element: string, anchor: string): void {
    if (this.page.links.length < this.#options.maxLinks) this.page.links.push({ reference, rel: '', element, anchor: collapseSpace(anchor) })
    else this.page.linksOverLimit++
  }

  #addLine(text: string): void {
    this.text.breakLine()
    this.text.add(text)
    this.text.breakLine()
  }
}

/** Reads XML of any vocabulary: SVG, OPML, sitemaps met as pages, and others. */
export const readXml: PageReader = (document, options) => {
  const collector = new XmlCollector(options)
  const reader = new XmlReader(collector, options)
  for (const piece of document.pieces()) reader.write(piece)
  reader.end()
  return { raw: collector.page, text: collector.text.toString(), ...(reader.fault === undefined ? {} : { fault: reader.fault }) }
}
