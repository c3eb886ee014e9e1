import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'
import { QuoteType, Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { isSpace } from '../text/text-builder.js'
import { type AttributeNames, type ElementRule, elementRuleAt, imgRule, isNameAt } from './element-rules.js'
import type { MarkupHandler } from './markup-handler.js'
import { ScriptEscapes } from './script-escapes.js'

export interface HtmlReaderLimits {
  /** Longer attribute values are left out. */
  readonly maxAttributeChars: number
}

/** Characters that are tokenized at least at a time. */
const gatheredChars = 32_768

/** Text is handed on in runs of about this many characters, so that a page that is one text needs no copy of its own. */
const textRunChars = 65_536

/**
 * Reads HTML with htmlparser2's tokenizer and tells a handler. References are decoded only in what is wanted, which is what makes it fast.
 * Keeps the last two chunks, so a name may be as long as a chunk; nothing grows with the page.
 */
export class HtmlReader implements TokenizerCallbacks {
  readonly #handler: MarkupHandler
  readonly #maxAttributeChars: number
  readonly #tokenizer: Tokenizer
  #gathered = ''
  #chunk = ''
  #chunkStart = 0
  #previous = ''
  #text = ''
  #isRawText = false
  #isTitleText = false
  #hasNul = false
  #rule: ElementRule = imgRule
  #wanted: AttributeNames | undefined
  #attributes: Record<string, string> = {}
  #attribute: string | undefined
  #value = ''
  #isSelfClosing = false
  /** The script that is open. */
  #script: ScriptEscapes | undefined

  constructor(handler: MarkupHandler, { maxAttributeChars }: HtmlReaderLimits) {
    this.#handler = handler
    this.#maxAttributeChars = maxAttributeChars
    this.#tokenizer = new Tokenizer({ decodeEntities: false }, this)
  }

  /** Takes the next chunk of characters. Small ones are gathered, so that how a page is cut changes nothing. */
  write(chunk: string): void {
    this.#gathered = this.#gathered === '' ? chunk : this.#gathered + chunk
    if (this.#gathered.length < gatheredChars) return
    this.#tokenize(this.#gathered)
    this.#gathered = ''
  }

  end(): void {
    if (this.#gathered !== '') this.#tokenize(this.#gathered)
    this.#gathered = ''
    this.#tokenizer.end()
  }

  #tokenize(chunk: string): void {
    this.#previous = this.#chunk
    this.#chunkStart += this.#chunk.length
    this.#chunk = chunk
    if (!this.#hasNul) this.#hasNul = chunk.includes('\0')
    this.#tokenizer.write(chunk)
  }

  ontext(start: number, end: number): void {
    this.#script?.feed(this.#slice(start, end))
    if (this.#handler.ignoresText) return
    if (this.#text === '') {
      if (!this.#handler.keepsSpace && this.#isSpace(start, end)) this.#handler.space()
      else this.#text = this.#slice(start, end)
      return
    }
    this.#text += this.#slice(start, end)
    if (this.#text.length > textRunChars) this.#flushPartly()
  }

  isInForeignContext(): boolean {
    return this.#handler.isForeign
  }

  onopentagname(start: number, end: number): void {
    this.#flushText()
    const rule = this.#ruleAt(start, end)
    this.#script?.feed(`<${rule.name}>`)
    this.#rule = rule.name === 'image' && !this.#handler.isForeign ? imgRule : rule
    this.#wanted = this.#script === undefined ? this.#handler.wantedAttributes(this.#rule) : undefined
    this.#attribute = undefined
  }

  onattribname(start: number, end: number): void {
    const length = end - start
    if (this.#wanted === undefined) return
    if (this.#wanted.isAll) {
      const name = this.#slice(start, end).toLowerCase()
      this.#attribute = Object.hasOwn(this.#attributes, name) ? undefined : name
      this.#value = ''
      return
    }
    if ((this.#wanted.lengthBits & (1 << length)) === 0 || length > 31) return
    const name = this.#wantedNameAt(this.#wanted.names, start, end)
    this.#attribute = name === undefined || this.#attributes[name] !== undefined ? undefined : name
    this.#value = ''
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute !== undefined && this.#value.length <= this.#maxAttributeChars) this.#value += this.#slice(start, end)
  }

  onattribend(quote: QuoteType): void {
    if (this.#attribute === undefined) return
    let value = quote !== QuoteType.NoValue && this.#value.includes('&') ? decodeHTMLAttribute(this.#value) : this.#value
    if (this.#hasNul) value = value.replaceAll('\0', '\ufffd')
    if (value.length <= this.#maxAttributeChars) this.#attributes[this.#attribute] = value
    this.#attribute = undefined
  }

  onopentagend(): void {
    if (this.#script !== undefined) return
    this.#isRawText = this.#rule.isRawText && !this.#handler.isForeign
    this.#isTitleText = this.#rule.role === 'title'
    this.#handler.openElement(this.#rule, this.#attributes, this.#isSelfClosing)
    if (this.#wanted !== undefined) this.#attributes = {}
    if (this.#isRawText && this.#rule.name === 'script') this.#script = new ScriptEscapes()
  }

  onselfclosingtag(): void {
    this.#isSelfClosing = true
    this.onopentagend()
    this.#isSelfClosing = false
  }

  onclosetag(start: number, end: number): void {
    this.#flushText()
    const rule = this.#ruleAt(start, end)
    if (this.#script !== undefined && !(rule.name === 'script' && this.#script.close())) return
    this.#script = undefined
    this.#isRawText = false
    this.#isTitleText = false
    this.#handler.closeElement(rule)
  }

  oncdata(start: number, end: number, endChars: number): void {
    this.#flushText()
    const content = this.#slice(start, end - endChars)
    if (this.#script !== undefined) return
    if (this.#handler.isForeign) {
      if (!this.#handler.ignoresText) this.#handler.characters(content)
      return
    }
    // Outside SVG and MathML this is a comment up to the first ">", and markup again behind it.
    const close = content.indexOf('>')
    if (close >= 0) this.#readAside(`${content.slice(close + 1)}]]>`)
  }

  oncomment(): void {
    this.#flushText()
    this.#script?.feed('-->')
  }

  ondeclaration(): void {
    this.#flushText()
  }

  onprocessinginstruction(): void {
    this.#flushText()
  }

  onend(): void {
    this.#flushText()
  }

  onattribentity(): void {
    throw new TypeError('the tokenizer was told not to decode')
  }

  ontextentity(): void {
    throw new TypeError('the tokenizer was told not to decode')
  }

  #readAside(markup: string): void {
    const reader = new HtmlReader(this.#handler, { maxAttributeChars: this.#maxAttributeChars })
    reader.write(markup)
    reader.end()
  }

  #flushText(): void {
    if (this.#text === '') return
    const text = this.#text
    this.#text = ''
    if (!this.#handler.ignoresText) this.#emitText(text)
  }

  /** Hands on a long text up to a point where no reference can be cut. */
  #flushPartly(): void {
    const text = this.#text
    const reference = text.lastIndexOf('&')
    const cut = reference > text.length - 64 ? reference : text.length
    this.#text = text.slice(cut)
    this.#emitText(text.slice(0, cut))
  }

  #emitText(raw: string): void {
    let text = !this.#isRawText && raw.includes('&') ? decodeHTML(raw) : raw
    if (this.#hasNul) text = text.replaceAll('\0', this.#isTitleText ? '\ufffd' : '')
    this.#handler.characters(text)
  }

  #wantedNameAt(names: readonly string[], start: number, end: number): string | undefined {
    const from = start - this.#chunkStart
    if (from < 0) {
      const name = this.#slice(start, end).toLowerCase()
      return names.includes(name) ? name : undefined
    }
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as string
      if (isNameAt(name, this.#chunk, from, end - this.#chunkStart)) return name
    }
    return undefined
  }

  /** Whether there is nothing but white space. Looks only at the chunk at hand, which is where nearly all of it is. */
  #isSpace(start: number, end: number): boolean {
    let at = start - this.#chunkStart
    if (at < 0) return false
    for (const last = end - this.#chunkStart; at < last; at++) if (!isSpace(this.#chunk.charCodeAt(at))) return false
    return true
  }

  #ruleAt(start: number, end: number): ElementRule {
    const from = start - this.#chunkStart
    if (from >= 0) return elementRuleAt(this.#chunk, from, end - this.#chunkStart)
    const name = this.#slice(start, end)
    return elementRuleAt(name, 0, name.length)
  }

  #slice(start: number, end: number): string {
    const from = start - this.#chunkStart
    if (from >= 0) return this.#chunk.slice(from, end - this.#chunkStart)
    const kept = this.#previous.slice(from)
    return end <= this.#chunkStart ? kept.slice(0, end - start) : kept + this.#chunk.slice(0, end - this.#chunkStart)
  }
}
