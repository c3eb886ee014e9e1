import { callFilter, type NamedObserver } from '../parse-filter.js'
import { type AttributeNames, allAttributes, type ElementRule } from './element-rules.js'
import type { Attributes, MarkupHandler } from './markup-handler.js'

/** Tells observers of everything, and a handler of what it would hear without them. */
export class ObservedMarkup implements MarkupHandler {
  readonly #handler: MarkupHandler
  readonly #observers: readonly NamedObserver[]
  readonly ignoresText = false
  readonly keepsSpace = true

  constructor(handler: MarkupHandler, observers: readonly NamedObserver[]) {
    this.#handler = handler
    this.#observers = observers
  }

  get isForeign(): boolean {
    return this.#handler.isForeign
  }

  wantedAttributes(): AttributeNames {
    return allAttributes
  }

  openElement(rule: ElementRule, attributes: Attributes, isSelfClosing: boolean): void {
    for (const { name, observer } of this.#observers) callFilter(name, () => observer.openElement?.(rule.name, attributes))
    this.#handler.openElement(rule, attributes, isSelfClosing)
  }

  closeElement(rule: ElementRule): void {
    for (const { name, observer } of this.#observers) callFilter(name, () => observer.closeElement?.(rule.name))
    this.#handler.closeElement(rule)
  }

  characters(text: string): void {
    for (const { name, observer } of this.#observers) callFilter(name, () => observer.characters?.(text))
    if (!this.#handler.ignoresText) this.#handler.characters(text)
  }

  space(): void {
    this.characters(' ')
  }
}
