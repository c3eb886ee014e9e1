import sax from 'sax'
import { writeSax } from './write-sax.js'

/** An element or attribute name, lower case, split at its colon. */
export interface XmlName {
  readonly prefix: string
  readonly local: string
}

export interface XmlElement extends XmlName {
  /** Values by qualified name, lower case. */
  readonly attributes: Readonly<Record<string, string>>
  readonly isSelfClosing: boolean
}

export interface XmlHandler {
  openElement(element: XmlElement): void
  closeElement(name: XmlName): void
  /** Text and CDATA, references decoded; a run may come in several parts. */
  characters(text: string): void
}

export interface XmlLimits {
  readonly maxDepth: number
}

/** Why reading stopped before the end. */
export type XmlFault = 'depth' | 'too long' | 'malformed'

/**
 * Reads XML with sax in its loose mode, so that a stray ampersand or an element left open loses no more than itself. Of the entities that a
 * DTD declares only short plain texts are expanded; the others vanish, and nothing external is read.
 * Memory is bounded: a token of more than 64 KiB that is no text, and nesting deeper than the limit, end the reading.
 */
export class XmlReader {
  readonly #parser: sax.SAXParser
  readonly #handler: XmlHandler
  #depth = 0
  #endsInText = true
  #fault: XmlFault | undefined

  constructor(handler: XmlHandler, limits: XmlLimits) {
    this.#handler = handler
    this.#parser = sax.parser(false, { lowercase: true, noscript: true })
    this.#parser.onopentag = tag => {
      if (this.#fault !== undefined || tag.name === wrapper) return
      this.#depth++
      if (this.#depth > limits.maxDepth) this.#fault = 'depth'
      else {
        const { prefix, local } = splitName(tag.name)
        handler.openElement({ prefix, local, attributes: stringAttributes(tag.attributes), isSelfClosing: tag.isSelfClosing })
      }
    }
    this.#parser.onclosetag = name => {
      if (this.#fault !== undefined || this.#depth === 0) return
      this.#depth--
      handler.closeElement(splitName(name))
    }
    this.#parser.ontext = text => this.#characters(text)
    this.#parser.oncdata = text => this.#characters(text)
    this.#parser.ondoctype = doctype => declareEntities(this.#parser, doctype)
    this.#parser.onerror = error => {
      this.#fault ??= error.message.startsWith('Max buffer') ? 'too long' : 'malformed'
    }
    // sax reads no tags behind the first element that closes, which may be one of a server's warning before the document.
    this.#parser.write(`<${wrapper}>`)
  }

  /** Why reading stopped, or undefined. */
  get fault(): XmlFault | undefined {
    return this.#fault
  }

  /** What was written last is text, to which no tag put an end. */
  get endsInText(): boolean {
    return this.#endsInText
  }

  write(chunk: string): void {
    if (/[<>]/.test(chunk)) this.#endsInText = chunk.lastIndexOf('<') < chunk.lastIndexOf('>')
    writeSax(this.#parser, chunk, () => this.#fault !== undefined)
  }

  /** Ends the input; what is open is closed. */
  end(): void {
    if (this.#fault === undefined) this.#parser.close()
  }

  #characters(text: string): void {
    if (this.#fault === undefined) this.#handler.characters(text.includes(vanished) ? text.replaceAll(vanished, '') : text)
  }
}

/** An element around the document. */
const wrapper = 'x-document'

/** Stands for an entity that is not expanded; sax leaves one that is empty as it was written. No XML holds this character. */
const vanished = '\0'

/** Longest value of an entity that is taken, and how many of them. */
const maxEntityChars = 1000
const maxEntities = 100

/** Makes known to sax what a DTD declares: plain texts as they are, what is external or holds markup or references as nothing. */
function declareEntities(parser: sax.SAXParser, doctype: string): void {
  const known = parser as sax.SAXParser & { readonly ENTITIES: Record<string, string> } // documented, but missing in the types
  let count = 0
  for (const [, name, , literal] of doctype.matchAll(/<!ENTITY\s+([\w.-]+)\s+(?:(["'])([^"']*)\2)?/g)) {
    if (name === undefined || ++count > maxEntities) return
    known.ENTITIES[name] = literal !== undefined && literal.length <= maxEntityChars && !/[<&%]/.test(literal) ? literal : vanished
  }
}

function splitName(name: string): XmlName {
  const colon = name.indexOf(':')
  return colon < 0 ? { prefix: '', local: name } : { prefix: name.slice(0, colon), local: name.slice(colon + 1) }
}

/** sax gives strings unless asked for namespaces, which its types do not tell apart. */
function stringAttributes(attributes: sax.Tag['attributes'] | sax.QualifiedTag['attributes']): Readonly<Record<string, string>> {
  return attributes as Readonly<Record<string, string>>
}
