/** Why a pattern cannot be used. Rule files turn it into a CrawlError with file and line. */
export class RegexSyntaxError extends Error {
  override readonly name = 'RegexSyntaxError'
}

/** Characters of a pattern, read one by one. */
export class PatternReader {
  position = 0
  constructor(readonly text: string) {}

  get isAtEnd(): boolean {
    return this.position >= this.text.length
  }

  /** The next character as a string, empty at the end. */
  peek(): string {
    return this.isAtEnd ? '' : String.fromCodePoint(this.text.codePointAt(this.position) as number)
  }

  next(): string {
    const char = this.peek()
    this.position += char.length
    return char
  }

  /** Takes `token` if it comes next. */
  take(token: string): boolean {
    if (!this.text.startsWith(token, this.position)) return false
    this.position += token.length
    return true
  }

  /** Takes what a sticky expression matches here. */
  takeMatch(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.position
    const match = expression.exec(this.text)
    if (match === null) return undefined
    this.position += match[0].length
    return match
  }

  error(reason: string): RegexSyntaxError {
    return new RegexSyntaxError(`${reason} at character ${this.position + 1}`)
  }
}
