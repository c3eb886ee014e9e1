import { cutText } from '../text/text-builder.js'

/** Takes the text of one element at a time, up to a length. */
export class XmlText {
  readonly #maxChars: number
  #parts = ''

  constructor(maxChars: number) {
    this.#maxChars = maxChars
  }

  start(): void {
    this.#parts = ''
  }

  add(text: string): void {
    if (this.#parts.length < this.#maxChars) this.#parts += cutText(text, this.#maxChars - this.#parts.length)
  }

  /** The text so far without the white space around it, which begins anew. */
  take(): string {
    const text = this.#parts.trim()
    this.#parts = ''
    return text
  }
}
