import type { AttributeNames, ElementRule } from './element-rules.js'

/** Attribute values by lower-case name; of several with one name the first. */
export type Attributes = Readonly<Record<string, string>>

/** Whether a template is the shadow tree of the element around it, which is shown (HTML Standard, "shadowrootmode"). */
export function isShadowRoot({ shadowrootmode }: Attributes): boolean {
  return /^(?:open|closed)$/i.test(shadowrootmode ?? '')
}

/** What a reader of markup tells. The htmlparser2 reader and the sax reader both drive it, so either can be chosen. */
export interface MarkupHandler {
  /** Attributes that the handler wants of an element; undefined for none. */
  wantedAttributes(rule: ElementRule): AttributeNames | undefined
  openElement(rule: ElementRule, attributes: Attributes, isSelfClosing: boolean): void
  closeElement(rule: ElementRule): void
  /** Decoded text; a run may come in several parts. */
  characters(text: string): void
  /** White space alone, where `keepsSpace` is not set. */
  space(): void
  /** White space counts as it is written. */
  readonly keepsSpace: boolean
  /** Inside SVG or MathML, where text-only elements such as style and title do not exist. */
  readonly isForeign: boolean
  /** Text is not wanted now, so it need not be read. */
  readonly ignoresText: boolean
}
