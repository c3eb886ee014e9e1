import { type CharSet, hasChar } from './char-set.js'

/** A language, built by `Languages`: equal ones are the same object, up to the simplifications made there. */
export interface Language {
  readonly id: number
  /** Whether it holds the empty text. */
  readonly isNullable: boolean
  readonly shape: Shape
}

type Shape =
  | { readonly kind: 'none' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'set'; readonly set: CharSet }
  | { readonly kind: 'concat'; readonly first: Language; readonly rest: Language }
  | { readonly kind: 'star'; readonly of: Language }
  | { readonly kind: 'or' | 'and'; readonly of: readonly Language[] }
  | { readonly kind: 'not'; readonly of: Language }

/** Thrown when an expression needs more memory than it may. */
export class LanguageLimitError extends Error {
  override readonly name = 'LanguageLimitError'
}

const maxLanguages = 100_000

/**
 * Regular languages with intersection and complement, and their derivatives (Brzozowski, "Derivatives of Regular Expressions", 1964): what is left
 * to match
 * after one character. Makes each language once, so that it can be the state of an automaton.
 */
export class Languages {
  readonly #known = new Map<string, Language>()
  readonly none = this.#make('0', false, { kind: 'none' })
  readonly empty = this.#make('e', true, { kind: 'empty' })

  get size(): number {
    return this.#known.size
  }

  set(set: CharSet): Language {
    return set.length === 0 ? this.none : this.#make(`s${set.join(',')}`, false, { kind: 'set', set })
  }

  concat(first: Language, rest: Language): Language {
    if (first === this.none || rest === this.none) return this.none
    if (first === this.empty) return rest
    if (rest === this.empty) return first
    if (first.shape.kind === 'concat') return this.concat(first.shape.first, this.concat(first.shape.rest, rest))
    return this.#make(`c${first.id},${rest.id}`, first.isNullable && rest.isNullable, { kind: 'concat', first, rest })
  }

  star(of: Language): Language {
    if (of === this.none || of === this.empty) return this.empty
    return of.shape.kind === 'star' ? of : this.#make(`*${of.id}`, true, { kind: 'star', of })
  }

  or(...parts: readonly Language[]): Language {
    const of = flat('or', parts).filter(part => part !== this.none)
    if (of.length <= 1) return of[0] ?? this.none
    return this.#make(
      `|${ids(of)}`,
      of.some(part => part.isNullable),
      { kind: 'or', of },
    )
  }

  and(...parts: readonly Language[]): Language {
    const of = flat('and', parts)
    if (of.includes(this.none)) return this.none
    if (of.length === 1) return of[0] as Language
    return this.#make(
      `&${ids(of)}`,
      of.every(part => part.isNullable),
      { kind: 'and', of },
    )
  }

  not(of: Language): Language {
    return of.shape.kind === 'not' ? of.shape.of : this.#make(`~${of.id}`, !of.isNullable, { kind: 'not', of })
  }

  /** What may follow `code` in texts of `language`. @throws {LanguageLimitError} */
  derivative({ isNullable: _, shape }: Language, code: number): Language {
    switch (shape.kind) {
      case 'none':
      case 'empty':
        return this.none
      case 'set':
        return hasChar(shape.set, code) ? this.empty : this.none
      case 'concat': {
        const first = this.concat(this.derivative(shape.first, code), shape.rest)
        return shape.first.isNullable ? this.or(first, this.derivative(shape.rest, code)) : first
      }
      case 'star':
        return this.concat(this.derivative(shape.of, code), this.star(shape.of))
      case 'or':
        return this.or(...shape.of.map(part => this.derivative(part, code)))
      case 'and':
        return this.and(...shape.of.map(part => this.derivative(part, code)))
      case 'not':
        return this.not(this.derivative(shape.of, code))
    }
  }

  #make(key: string, isNullable: boolean, shape: Shape): Language {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    if (this.#known.size >= maxLanguages) throw new LanguageLimitError(`more than ${maxLanguages} parts`)
    const language = { id: this.#known.size, isNullable, shape }
    this.#known.set(key, language)
    return language
  }
}

function flat(kind: 'or' | 'and', parts: readonly Language[]): Language[] {
  const all = new Set<Language>()
  for (const part of parts) {
    if (part.shape.kind === kind) for (const inner of (part.shape as Shape & { readonly kind: 'or' | 'and' }).of) all.add(inner)
    else all.add(part)
  }
  return [...all].sort((a, b) => a.id - b.id)
}

const ids = (parts: readonly Language[]): string => parts.map(part => part.id).join(',')
