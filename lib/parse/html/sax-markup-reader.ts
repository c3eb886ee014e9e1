import sax from 'sax'
import { writeSax } from '../xml/write-sax.js'
import { type ElementRule, elementRule, imgRule } from './element-rules.js'
import type { MarkupHandler } from './markup-handler.js'

/** Elements open at once, beyond which reading stops: sax never closes what HTML closes by itself, so pages nest deeply here. */
const maxOpenElements = 20_000

const voidElements = new Set('area base basefont br col embed frame hr img input keygen link meta param source track wbr'.split(' '))

/** Reads XHTML, and HTML as far as sax in its loose mode can, and tells the same handler that the htmlparser2 reader tells. */
export class SaxMarkupReader {
  readonly #parser: sax.SAXParser
  #openElements = 0
  #fault: string | undefined

  constructor(handler: MarkupHandler, isHtml: boolean) {
    this.#parser = sax.parser(false, { lowercase: true })
    this.#parser.onopentag = tag => {
      if (this.#fault !== undefined) return
      const rule = ruleOf(tag.name)
      const wanted = handler.wantedAttributes(rule)
      const attributes: Record<string, string> = {}
      // Without the option for namespaces sax gives strings, which its types do not tell apart.
      if (wanted !== undefined)
        for (const [name, value] of Object.entries(tag.attributes))
          if (wanted.isAll || wanted.names.includes(name)) attributes[name] = value as string
      handler.openElement(rule, attributes, isHtml && tag.isSelfClosing && handler.isForeign)
      if (++this.#openElements > maxOpenElements) this.#fault = 'depth: too many open elements'
    }
    this.#parser.onclosetag = name => {
      if (this.#fault !== undefined) return
      this.#openElements--
      const rule = ruleOf(name)
      if (!(isHtml && voidElements.has(rule.name))) handler.closeElement(rule)
    }
    const characters = (text: string): void => {
      if (this.#fault === undefined && !handler.ignoresText) handler.characters(text)
    }
    this.#parser.ontext = characters
    this.#parser.oncdata = characters
    this.#parser.onerror = error => {
      this.#fault ??= error.message.startsWith('Max buffer') ? 'too long: a tag, comment or attribute' : undefined
    }
    // sax reads no tags behind the first element that closes; pages without an html element have many.
    this.#parser.write('<x-page>')
  }

  /** Why reading stopped, or undefined. */
  get fault(): string | undefined {
    return this.#fault
  }

  write(chunk: string): void {
    writeSax(this.#parser, chunk, () => this.#fault !== undefined)
  }

  end(): void {
    if (this.#fault !== undefined) return
    this.#parser.close()
  }
}

function ruleOf(name: string): ElementRule {
  const local = name.slice(name.indexOf(':') + 1)
  return local === 'image' ? imgRule : elementRule(local)
}
