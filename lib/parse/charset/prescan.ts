import { charsetOfLabel, charsetParameter } from './charset-label.js'

/** Bytes that browsers look at for a declaration. */
export const prescanBytes = 1024

/** What a document declares about itself in its first bytes. */
export interface DeclaredCharset {
  readonly charset: string
  readonly source: 'meta' | 'xml'
}

/** Bytes in which a late declaration is looked for. */
const lateBytes = 65_536

/** A meta element behind the first 1024 bytes: browsers that meet one start again with its charset (HTML Standard, "changing the encoding
 *  while parsing"). */
export function lateDeclaration(bytes: Uint8Array): DeclaredCharset | undefined {
  if (bytes.length <= prescanBytes) return undefined
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, lateBytes)).toString('latin1')
  if (!/charset/i.test(text)) return undefined
  const charset = new MetaScan(text).run()
  return charset === undefined ? undefined : { charset, source: 'meta' }
}

/**
 * Looks for a meta element or XML declaration that names a charset (HTML Standard, 13.2.3.2, "prescan a byte stream to determine its encoding").
 * UTF-16 becomes UTF-8 and x-user-defined windows-1252, for the bytes just read were neither.
 */
export function prescan(bytes: Uint8Array, { isXml = false }: { readonly isXml?: boolean } = {}): DeclaredCharset | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, prescanBytes)).toString('latin1')
  const fromXml = xmlDeclaration(isXml ? text.trimStart() : text)
  if (fromXml !== undefined) return { charset: fromXml, source: 'xml' }
  const fromMeta = new MetaScan(text).run()
  return fromMeta === undefined ? undefined : { charset: fromMeta, source: 'meta' }
}

/** The encoding of an XML declaration at the very start, as a charset. */
export function xmlDeclaration(text: string): string | undefined {
  if (!text.startsWith('<?xml')) return undefined
  const end = text.indexOf('>')
  const declaration = end < 0 ? text : text.slice(0, end)
  const match = /encoding[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)')/.exec(declaration)
  return match === null ? undefined : readable(match[1] ?? match[2] ?? '')
}

function readable(label: string): string | undefined {
  const charset = charsetOfLabel(label)
  if (charset === 'utf-16le' || charset === 'utf-16be') return 'utf-8'
  return charset === 'x-user-defined' ? 'windows-1252' : charset
}

const isSpace = (character: string | undefined): boolean =>
  character === ' ' || character === '\t' || character === '\n' || character === '\f' || character === '\r'

class MetaScan {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  run(): string | undefined {
    for (;;) {
      this.#at = this.#text.indexOf('<', this.#at)
      if (this.#at < 0) return undefined
      const charset = this.#readMarkup()
      if (charset !== undefined) return charset
    }
  }

  /** Reads one piece of markup and stops behind it. */
  #readMarkup(): string | undefined {
    const text = this.#text
    if (text.startsWith('<!--', this.#at)) {
      const end = text.indexOf('-->', this.#at + 2)
      this.#at = end < 0 ? text.length : end + 3
      return undefined
    }
    if (/^<meta[\t\n\f\r /]/i.test(text.slice(this.#at, this.#at + 6))) {
      this.#at += 5
      return this.#readMeta()
    }
    if (/^<\/?[a-z]/i.test(text.slice(this.#at, this.#at + 3))) {
      while (this.#at < text.length && !isSpace(text[this.#at]) && text[this.#at] !== '>') this.#at++
      while (this.#readAttribute() !== undefined);
      return undefined
    }
    const next = text[this.#at + 1]
    if (next === '!' || next === '/' || next === '?') this.#at = endOf(text, this.#at)
    else this.#at++
    return undefined
  }

  #readMeta(): string | undefined {
    const seen = new Set<string>()
    let hasPragma = false
    let needsPragma: boolean | undefined
    let label: string | undefined
    for (let attribute = this.#readAttribute(); attribute !== undefined; attribute = this.#readAttribute()) {
      const [name, value] = attribute
      if (seen.has(name)) continue
      seen.add(name)
      if (name === 'http-equiv') hasPragma ||= value === 'content-type'
      else if (name === 'charset') {
        label = value
        needsPragma = false
      } else if (name === 'content' && label === undefined) {
        const found = charsetParameter(value)
        if (found !== undefined && charsetOfLabel(found) !== undefined) {
          label = found
          needsPragma = true
        }
      }
    }
    if (this.#at >= this.#text.length) return undefined // the tag is cut off, so it may say more
    if (label === undefined || needsPragma === undefined || (needsPragma && !hasPragma)) return undefined
    return readable(label)
  }

  /** One attribute, lower case; undefined at the end of the tag. */
  #readAttribute(): [name: string, value: string] | undefined {
    const text = this.#text
    while (this.#at < text.length && (isSpace(text[this.#at]) || text[this.#at] === '/')) this.#at++
    if (this.#at >= text.length || text[this.#at] === '>') return undefined
    const start = this.#at
    this.#skipUntil(character => (character === '=' && this.#at > start) || isSpace(character) || character === '/' || character === '>')
    const name = text.slice(start, this.#at).toLowerCase()
    this.#skipUntil(character => !isSpace(character))
    if (text[this.#at] !== '=') return [name, '']
    this.#at++
    this.#skipUntil(character => !isSpace(character))
    return [name, this.#readValue().toLowerCase()]
  }

  #readValue(): string {
    const text = this.#text
    const quote = text[this.#at]
    const start = this.#at
    if (quote === '"' || quote === "'") {
      const end = text.indexOf(quote, start + 1)
      this.#at = end < 0 ? text.length : end + 1
      return end < 0 ? '' : text.slice(start + 1, end)
    }
    this.#skipUntil(character => isSpace(character) || character === '>')
    return text.slice(start, this.#at)
  }

  #skipUntil(isEnd: (character: string) => boolean): void {
    while (this.#at < this.#text.length && !isEnd(this.#text[this.#at] as string)) this.#at++
  }
}

function endOf(text: string, from: number): number {
  const end = text.indexOf('>', from)
  return end < 0 ? text.length : end + 1
}
