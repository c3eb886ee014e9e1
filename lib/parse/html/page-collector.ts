import type { ReadOptions } from '../document.js'
import { emptyRawPage, type RawPage } from '../raw-page.js'
import { cutText, TextBuilder } from '../text/text-builder.js'
import { type AttributeNames, attributeNames, type ElementRule } from './element-rules.js'
import { ForeignContext, opensForeign } from './foreign-context.js'
import { LinkCollector } from './link-collector.js'
import { type Attributes, isShadowRoot, type MarkupHandler } from './markup-handler.js'
import { takeLink, takeMeta } from './take-head.js'

const maxTitleChars = 10_000
const foreignAttributes = attributeNames(['href', 'xlink:href', 'rel'])
const endsSelect = new Set(['input', 'keygen', 'textarea'])

/** Collects from the events of one page what a crawler wants to know of it. Keeps no tree: what it holds is bounded by the limits of its options. */
export class PageCollector implements MarkupHandler {
  readonly page: RawPage = emptyRawPage()
  readonly #config: ReadOptions
  readonly #text: TextBuilder
  readonly #links: LinkCollector
  readonly #foreign: ForeignContext
  readonly #hiddenElements: string[] = []
  #isHidden = false
  /** In a noscript that is not read: nothing there counts. */
  #isInNoscript = false
  #preDepth = 0
  #startsPre = false
  #isInSelect = false
  #tableDepth = 0
  #title: string | undefined
  #hasTitle = false
  #heading: { readonly level: number; readonly position: number } | undefined

  constructor(config: ReadOptions) {
    this.#config = config
    this.#text = new TextBuilder(config.maxTextChars)
    this.#links = new LinkCollector(this.page, config, this.#text)
    this.#foreign = new ForeignContext(config.maxDepth)
  }

  get text(): string {
    return this.#text.toString()
  }

  get isForeign(): boolean {
    return this.#foreign.isForeign
  }

  get ignoresText(): boolean {
    return this.#isHidden
  }

  wantedAttributes(rule: ElementRule): AttributeNames | undefined {
    return this.#foreign.isForeign && rule.name === 'a' ? foreignAttributes : rule.attributes
  }

  openElement(rule: ElementRule, attributes: Attributes, isSelfClosing: boolean): void {
    if (this.#isInNoscript) return
    if (this.#foreign.isForeign) {
      if (!rule.breaksOutOfForeign) {
        this.#openForeign(rule, attributes, isSelfClosing)
        return
      }
      this.#foreign.breakOut()
      this.#updateHidden()
    } else if (opensForeign(rule)) {
      if (!isSelfClosing) this.#foreign.enter(rule.name)
      return
    }
    if (this.#isInSelect && !this.#staysInSelect(rule)) return
    if (rule.isHidden && !isShadowRoot(attributes)) this.#openHidden(rule.name)
    if (rule.flow === 'block') this.#text.breakLine()
    else if (rule.flow === 'cell') this.#text.space()
    const isOfTemplate = rule.isOfDocument && this.#hiddenElements.includes('template') // no part of the document, which only its links concern
    if (rule.role !== undefined && !isOfTemplate) this.#openRole(rule, attributes)
    else if (rule.linkAttributes.length > 0) this.#links.addAll(rule, attributes)
  }

  closeElement(rule: ElementRule): void {
    if (this.#isInNoscript && rule.role !== 'noscript') return
    if (this.#foreign.isInside) {
      const closesOne = this.#foreign.close(rule.name)
      if (!closesOne && this.#foreign.isForeign && (rule.flow === 'block' || rule.role !== undefined)) this.#foreign.leave()
      this.#updateHidden()
      if (closesOne) {
        if (rule.role === 'a') this.#links.closeAnchor()
        return
      }
    }
    if (rule.isHidden) this.#closeHidden(rule.name)
    if (rule.flow === 'block') this.#text.breakLine()
    else if (rule.flow === 'cell') this.#text.space()
    if (rule.role !== undefined) this.#closeRole(rule)
  }

  characters(text: string): void {
    if (this.#title !== undefined && this.#title.length < maxTitleChars) this.#title += text
    if (this.#isHidden) return
    if (this.#preDepth === 0) this.#text.add(text)
    else this.#text.addPreformatted(this.#startsPre ? text.replace(/^\r?\n/, '') : text)
    this.#startsPre = false
  }

  space(): void {
    this.#text.space()
  }

  get keepsSpace(): boolean {
    return this.#preDepth > 0 || this.#title !== undefined
  }

  /** Ends what is still open. */
  end(): void {
    this.#links.closeAnchor()
    this.#endHeading()
    this.#endTitle()
  }

  #openForeign(rule: ElementRule, attributes: Attributes, isSelfClosing: boolean): void {
    if (rule.role === 'a') this.#links.openAnchor(attributes, 0)
    if (isSelfClosing) return
    this.#foreign.enter(rule.name)
    this.#updateHidden()
  }

  /** Inside select only options count; what else stands there is no element of the page (HTML Standard as browsers have had it for long). */
  #staysInSelect(rule: ElementRule): boolean {
    if (rule.name === 'option' || rule.name === 'optgroup' || rule.name === 'script' || rule.name === 'template' || rule.name === 'hr') return true
    const isTablePart = this.#tableDepth > 0 && (rule.role === 'table' || rule.role === 'tablepart')
    if (rule.role === 'select' || endsSelect.has(rule.name) || isTablePart) this.#isInSelect = false
    return rule.role !== 'select' && !this.#isInSelect
  }

  #openRole(rule: ElementRule, attributes: Attributes): void {
    switch (rule.role) {
      case 'a':
        this.#links.openAnchor(attributes, this.#tableDepth)
        break
      case 'br':
        this.#text.breakLine()
        break
      case 'base':
        if (attributes.href !== undefined) this.page.baseHref ??= attributes.href
        break
      case 'heading':
        this.#endHeading()
        this.#heading = { level: Number(rule.name[1]), position: this.#text.position }
        break
      case 'html':
        if (this.page.lang === '') this.page.lang = (attributes.lang ?? attributes['xml:lang'] ?? '').trim()
        break
      case 'img':
        this.#links.addImage(rule, attributes)
        break
      case 'link':
        this.#links.addAll(rule, attributes)
        takeLink(this.page, attributes, this.#config)
        break
      case 'meta':
        takeMeta(this.page, attributes, this.#config)
        break
      case 'noscript':
        this.#isInNoscript = !this.#config.readsNoscript
        this.#updateHidden()
        break
      case 'pre':
        this.#preDepth++
        this.#startsPre = true
        break
      case 'select':
        this.#isInSelect = true
        break
      case 'title':
        if (!this.#hasTitle) this.#title = ''
        this.#hasTitle = true
        break
      case 'table':
        this.#tableDepth++
        break
      case 'tablepart':
        this.#links.closeAnchorOfTable(this.#tableDepth)
        break
      default:
        this.#links.addAll(rule, attributes)
    }
  }

  #closeRole(rule: ElementRule): void {
    switch (rule.role) {
      case 'a':
        this.#links.closeAnchor()
        break
      case 'br':
        this.#text.breakLine()
        break
      case 'heading':
        this.#endHeading()
        break
      case 'noscript':
        this.#isInNoscript = false
        this.#updateHidden()
        break
      case 'pre':
        this.#preDepth = Math.max(0, this.#preDepth - 1)
        break
      case 'select':
        this.#isInSelect = false
        break
      case 'title':
        this.#endTitle()
        break
      case 'table':
        this.#links.closeAnchorOfTable(this.#tableDepth)
        this.#tableDepth = Math.max(0, this.#tableDepth - 1)
        break
      case 'tablepart':
        this.#links.closeAnchorOfTable(this.#tableDepth)
        break
    }
  }

  #endHeading(): void {
    if (this.#heading === undefined) return
    const { level, position } = this.#heading
    this.#heading = undefined
    const text = this.#text.textSince(position, this.#config.maxAnchorChars)
    if (this.page.headings.length < this.#config.maxLinks) this.page.headings.push({ level, text })
  }

  #endTitle(): void {
    if (this.#title === undefined) return
    this.page.title = cutText(this.#title.replace(/\s+/g, ' ').trim(), maxTitleChars)
    this.#title = undefined
  }

  #openHidden(name: string): void {
    if (this.#hiddenElements.length < this.#config.maxDepth) this.#hiddenElements.push(name)
    this.#updateHidden()
  }

  #closeHidden(name: string): void {
    const at = this.#hiddenElements.lastIndexOf(name)
    if (at >= 0) this.#hiddenElements.length = at
    this.#updateHidden()
  }

  #updateHidden(): void {
    this.#isHidden = this.#isInNoscript || this.#hiddenElements.length > 0 || this.#foreign.isHidden
  }
}
