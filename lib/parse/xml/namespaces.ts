import type { XmlElement, XmlName } from './xml-reader.js'

/** Vocabularies that feeds and sitemaps mix, told apart by their namespace or, where that is missing or wrong, by the usual prefix. */
export type Vocabulary = 'core' | 'dc' | 'content' | 'media' | 'itunes' | 'image' | 'video' | 'news' | 'mobile' | 'xhtml' | 'pagemap' | 'other'

const byNamespace: readonly (readonly [pattern: RegExp, vocabulary: Vocabulary])[] = [
  [/^https?:\/\/purl\.org\/dc\//, 'dc'],
  [/^https?:\/\/purl\.org\/rss\/1\.0\/modules\/content/, 'content'],
  [/^https?:\/\/search\.yahoo\.com\/mrss/, 'media'],
  [/^https?:\/\/www\.itunes\.com\//i, 'itunes'],
  [/^https?:\/\/(?:www\.)?google\.com\/schemas\/sitemap-image/, 'image'],
  [/^https?:\/\/(?:www\.)?google\.com\/schemas\/sitemap-video/, 'video'],
  [/^https?:\/\/(?:www\.)?google\.com\/schemas\/sitemap-news/, 'news'],
  [/^https?:\/\/(?:www\.)?google\.com\/schemas\/sitemap-mobile/, 'mobile'],
  [/^https?:\/\/(?:www\.)?google\.com\/schemas\/sitemap-pagemap/, 'pagemap'],
  [/^https?:\/\/(?:www\.)?google\.com\/schemas\/sitemap\//, 'core'],
  [/^https?:\/\/www\.w3\.org\/1999\/xhtml/, 'xhtml'],
  [/^https?:\/\/www\.w3\.org\/1999\/02\/22-rdf-syntax-ns/, 'core'],
  [/^https?:\/\/purl\.org\/(?:rss\/|atom\/|net\/rss)/, 'core'],
  [/^https?:\/\/(?:www\.)?w3\.org\/2005\/atom/i, 'core'],
  [/^https?:\/\/(?:my|channel)\.netscape\.com\/rdf\//, 'core'],
  [/^https?:\/\/(?:www\.)?sitemaps\.org\//, 'core'],
  [/^https?:\/\/(?:blogs\.law|backend\.userland|cyber\.law|my\.netscape)/, 'core'],
]

const byPrefix: Readonly<Record<string, Vocabulary>> = {
  '': 'core',
  atom: 'core',
  a10: 'core',
  rss: 'core',
  rdf: 'core',
  dc: 'dc',
  dcterms: 'dc',
  content: 'content',
  media: 'media',
  itunes: 'itunes',
  image: 'image',
  video: 'video',
  news: 'news',
  mobile: 'mobile',
  xhtml: 'xhtml',
  pagemap: 'pagemap',
}

/** Bindings kept at most; documents have a handful. */
const maxBindings = 256

interface Binding {
  readonly depth: number
  readonly prefix: string
  readonly vocabulary: Vocabulary
}

/** Which vocabulary a name is of, by the bindings of the elements that are open. */
export class Namespaces {
  readonly #bindings: Binding[] = []

  /** Takes the bindings that an element makes. @param depth 1 for the root */
  bind({ attributes, prefix: ownPrefix }: XmlElement, depth: number): void {
    for (const name in attributes) {
      if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue
      const prefix = name.slice(6)
      const isOfRoot = depth === 1 && (prefix === '' || prefix === ownPrefix)
      const vocabulary = vocabularyOf(prefix, attributes[name]?.trim() ?? '', isOfRoot)
      if (this.#bindings.length < maxBindings) this.#bindings.push({ depth, prefix, vocabulary })
    }
  }

  /** Forgets the bindings of the element at `depth`, which closes. */
  release(depth: number): void {
    while ((this.#bindings.at(-1)?.depth ?? 0) >= depth) this.#bindings.pop()
  }

  of({ prefix }: XmlName): Vocabulary {
    for (let index = this.#bindings.length - 1; index >= 0; index--) {
      const binding = this.#bindings[index] as Binding
      if (binding.prefix === prefix) return binding.vocabulary
    }
    return Object.hasOwn(byPrefix, prefix) ? (byPrefix[prefix] as Vocabulary) : 'other'
  }
}

/** A default namespace that nobody knows is a slip, and so is that of an extension at the root; an unknown one with a prefix is an extension,
 *  unless the root itself is of it. */
function vocabularyOf(prefix: string, uri: string, isOfRoot: boolean): Vocabulary {
  if (isOfRoot) return 'core'
  const known = byNamespace.find(([pattern]) => pattern.test(uri))?.[1]
  if (prefix === '') return known ?? 'core'
  return known ?? (Object.hasOwn(byPrefix, prefix) ? (byPrefix[prefix] as Vocabulary) : 'other')
}
