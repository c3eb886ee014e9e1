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
const maxPrefixes = 64

/** Which vocabulary a name is of. Keeps the bindings seen so far, the last of each prefix, which is what documents in the wild need. */
export class Namespaces {
  readonly #vocabularies = new Map<string, Vocabulary>()

  /** Takes the bindings that an element makes. */
  bind({ attributes }: XmlElement): void {
    for (const [name, value] of Object.entries(attributes)) {
      if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue
      const prefix = name.slice(6)
      if (this.#vocabularies.size < maxPrefixes) this.#vocabularies.set(prefix, vocabularyOf(prefix, value.trim()))
    }
  }

  of({ prefix }: XmlName): Vocabulary {
    return this.#vocabularies.get(prefix) ?? (Object.hasOwn(byPrefix, prefix) ? (byPrefix[prefix] as Vocabulary) : 'other')
  }
}

/** A default namespace that nobody knows is a slip; an unknown one with a prefix is an extension. */
function vocabularyOf(prefix: string, uri: string): Vocabulary {
  const known = byNamespace.find(([pattern]) => pattern.test(uri))
  if (known !== undefined) return prefix === '' && known[1] !== 'core' && known[1] !== 'xhtml' ? 'core' : known[1]
  if (prefix === '') return 'core'
  return Object.hasOwn(byPrefix, prefix) ? (byPrefix[prefix] as Vocabulary) : 'other'
}
