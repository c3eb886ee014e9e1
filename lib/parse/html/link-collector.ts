import type { ParseConfig } from '../../config/parse-options.js'
import type { RawLink, RawPage } from '../raw-page.js'
import { collapseSpace, cutText, type TextBuilder } from '../text/text-builder.js'
import type { ElementRule } from './element-rules.js'
import type { Attributes } from './markup-handler.js'
import { srcsetUrls } from './srcset.js'

type LinkOptions = Pick<ParseConfig, 'usesFormAction' | 'ignoredLinkElements' | 'ignoredLinkRels' | 'maxLinks' | 'maxAnchorChars'>

interface OpenAnchor {
  readonly link: RawLink | undefined
  readonly position: number
  readonly tableDepth: number
  alternative: string
}

/** Collects the links of a page in the order of their elements, with the anchor text of those that hold text. */
export class LinkCollector {
  readonly #page: RawPage
  readonly #options: LinkOptions
  readonly #text: TextBuilder
  readonly #ignored: ReadonlySet<string>
  #anchor: OpenAnchor | undefined

  constructor(page: RawPage, options: LinkOptions, text: TextBuilder) {
    this.#page = page
    this.#options = options
    this.#text = text
    this.#ignored = new Set(options.ignoredLinkElements.map(name => name.toLowerCase()))
  }

  /** Opens an `a`. One that is open ends here, for anchors do not nest. */
  openAnchor(attributes: Attributes, tableDepth: number): void {
    this.closeAnchor()
    const reference = attributes.href ?? attributes['xlink:href']
    const link = reference === undefined ? undefined : this.#add('a', reference, attributes, '')
    this.#anchor = { link, position: this.#text.position, tableDepth, alternative: '' }
  }

  closeAnchor(): void {
    const anchor = this.#anchor
    this.#anchor = undefined
    if (anchor?.link === undefined) return
    const text = this.#text.textSince(anchor.position, this.#options.maxAnchorChars)
    anchor.link.anchor = text === '' ? cutText(anchor.alternative, this.#options.maxAnchorChars) : text
  }

  /** Ends an anchor that was opened in a cell of the table at this depth, when the cell ends. */
  closeAnchorOfTable(tableDepth: number): void {
    if (this.#anchor !== undefined && tableDepth > 0 && this.#anchor.tableDepth === tableDepth) this.closeAnchor()
  }

  addImage(rule: ElementRule, attributes: Attributes): void {
    const alternative = collapseSpace(attributes.alt ?? '')
    if (this.#anchor !== undefined && alternative !== '' && this.#anchor.alternative.length < this.#options.maxAnchorChars) {
      this.#anchor.alternative += (this.#anchor.alternative === '' ? '' : ' ') + alternative
    }
    this.addAll(rule, attributes, cutText(alternative, this.#options.maxAnchorChars))
  }

  /** Adds the links of all attributes of an element. */
  addAll(rule: ElementRule, attributes: Attributes, anchor = collapseSpace(attributes.alt ?? '')): void {
    for (const { name, isSrcset } of rule.linkAttributes) {
      const value = attributes[name]
      if (value === undefined) continue
      if (name === 'action' || name === 'formaction') this.#addAction(rule.name, value, attributes)
      else if (isSrcset) for (const reference of srcsetUrls(value)) this.#add(rule.name, reference, attributes, anchor)
      else this.#add(rule.name, value, attributes, anchor)
    }
  }

  /** A form that is sent by GET leads to a page like a link. */
  #addAction(element: string, reference: string, attributes: Attributes): void {
    const method = attributes.method?.trim().toLowerCase() ?? 'get'
    if (this.#options.usesFormAction && method !== 'post' && method !== 'dialog') this.#add(element, reference, attributes, '')
  }

  #add(element: string, reference: string, attributes: Attributes, anchor: string): RawLink | undefined {
    if (this.#ignored.has(element)) return undefined
    const rel = relTokens(attributes.rel)
    if (element === 'link' && this.#options.ignoredLinkRels.length > 0 && this.#isIgnoredRel(rel)) return undefined
    if (this.#page.links.length >= this.#options.maxLinks) {
      this.#page.linksOverLimit++
      return undefined
    }
    const link: RawLink = { reference, rel, element, anchor }
    this.#page.links.push(link)
    return link
  }

  #isIgnoredRel(rel: string): boolean {
    return rel.split(' ').some(token => this.#options.ignoredLinkRels.includes(token))
  }
}

/** Tokens stand apart by space; many put commas there, and search engines read them so. */
export function relTokens(rel: string | undefined): string {
  return rel === undefined ? '' : collapseSpace(rel.replaceAll(',', ' ')).toLowerCase()
}
