/** White space that is not one space already. */
const spaceRuns = /[\t\n\f\r ]{2,}|[\t\n\f\r]/g

/** Whether a code unit is HTML's white space. */
export function isSpace(code: number): boolean {
  return code === 32 || (code <= 13 && code >= 9 && code !== 11)
}

/**
 * Builds text as a reader sees it: runs of white space become one space, blocks stand on lines of their own, there are no empty lines,
 * and preformatted text stays as it is. Parts are kept in a list, so that taking the text of an element costs what the element holds.
 */
export class TextBuilder {
  readonly #parts: string[] = []
  readonly #maxChars: number
  #lengthChars = 0
  #isLineStart = true
  #wantsSpace = false
  #wantsBreak = false
  /** Whether some parts hold white space as it was written. */
  #isPreformatted = false

  constructor(maxChars: number) {
    this.#maxChars = maxChars
  }

  /** Whether something was left out because the text is as long as it may be. */
  get isFull(): boolean {
    return this.#lengthChars >= this.#maxChars
  }

  /** A mark for `textSince`. */
  get position(): number {
    return this.#parts.length
  }

  add(text: string): void {
    let start = 0
    let end = text.length
    while (start < end && isSpace(text.charCodeAt(start))) start++
    if (start === end) {
      if (end > 0) this.#wantsSpace = true
      return
    }
    while (isSpace(text.charCodeAt(end - 1))) end--
    if (start > 0) this.#wantsSpace = true
    const inner = end - start === text.length ? text : text.slice(start, end)
    this.#separate()
    this.#push(inner.replace(spaceRuns, ' '))
    this.#isLineStart = false
    this.#wantsSpace = end < text.length
  }

  /** Adds text whose white space counts. */
  addPreformatted(text: string): void {
    if (text === '') return
    this.#isPreformatted = true
    this.#separate()
    this.#push(text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text)
    this.#isLineStart = text.endsWith('\n')
  }

  /** What follows stands on a line of its own. */
  breakLine(): void {
    this.#wantsBreak = true
  }

  /** What follows is set off by a space. */
  space(): void {
    this.#wantsSpace = true
  }

  /** The text added since `position`, on one line, cut after `maxChars` characters. */
  textSince(position: number, maxChars: number): string {
    let text = ''
    for (let index = position; index < this.#parts.length && text.length <= maxChars; index++) {
      const part = this.#parts[index] as string
      if (text !== '' || !isSpace(part.charCodeAt(0))) text += part === '\n' ? ' ' : part
      else text = part.trimStart()
    }
    return cutText(this.#isPreformatted ? collapseSpace(text) : text, maxChars)
  }

  toString(): string {
    return this.#parts.join('').trimEnd()
  }

  #separate(): void {
    if (this.#wantsBreak && !this.#isLineStart) this.#push('\n')
    else if (this.#wantsSpace && !this.#wantsBreak && !this.#isLineStart) this.#push(' ')
    this.#wantsBreak = false
    this.#wantsSpace = false
  }

  #push(part: string): void {
    const room = this.#maxChars - this.#lengthChars
    if (room <= 0) return
    const kept = part.length > room ? cutText(part, room) : part
    this.#parts.push(kept)
    this.#lengthChars += part.length
  }
}

/** The first `maxChars` UTF-16 units of `text`, one less where a surrogate pair would be cut. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const last = text.charCodeAt(maxChars - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? maxChars - 1 : maxChars)
}

/** `text` with runs of HTML white space as one space, and none at its ends. */
export function collapseSpace(text: string): string {
  return text.replace(spaceRuns, ' ').trim()
}
