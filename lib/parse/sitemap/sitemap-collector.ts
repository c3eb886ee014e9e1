import { parseDate } from '../date/parse-date.js'
import { Namespaces, type Vocabulary } from '../xml/namespaces.js'
import type { XmlElement, XmlHandler, XmlName } from '../xml/xml-reader.js'
import { XmlText } from '../xml/xml-text.js'
import { type ChangeFrequency, changeFrequencies, type SitemapEntry, type SitemapFault } from './sitemap-entry.js'

type ExtensionName = 'image' | 'video' | 'news' | 'mobile' | 'pagemap' | 'links'
type Fields = Record<string, string | string[]>

interface OpenEntry {
  readonly type: SitemapEntry['type']
  readonly depth: number
  readonly texts: Map<string, string>
  readonly extensions: Partial<Record<ExtensionName, Fields[]>>
  /** Text that stands in the entry itself, where some put the URL. */
  bare: string
}

const entryTexts = new Set(['loc', 'lastmod', 'changefreq', 'priority'])
const extensionNames = new Set<Vocabulary>(['image', 'video', 'news', 'mobile', 'pagemap'])
/** Extensions of one entry that are kept: Google takes 1,000 images a page. */
const maxExtensions = 1000
const maxValues = 100
const maxBareChars = 8192

/** Collects the entries of a urlset or sitemapindex from the events of XML; `drain` gives those that are complete. */
export class SitemapCollector implements XmlHandler {
  readonly #namespaces = new Namespaces()
  readonly #text: XmlText
  readonly #onFault: (fault: SitemapFault, fact: string) => void
  #ready: SitemapEntry[] = []
  #depth = 0
  #isCut = false
  #entry: OpenEntry | undefined
  #captured: { readonly name: string; readonly depth: number; readonly fields?: Fields } | undefined
  #extension: { readonly depth: number; readonly fields: Fields } | undefined

  constructor(maxTextChars: number, onFault: (fault: SitemapFault, fact: string) => void) {
    this.#text = new XmlText(maxTextChars)
    this.#onFault = onFault
  }

  /** Entries completed since the last call. */
  drain(): SitemapEntry[] {
    const ready = this.#ready
    this.#ready = []
    return ready
  }

  openElement(element: XmlElement): void {
    this.#depth++
    this.#namespaces.bind(element, this.#depth)
    if (this.#captured?.name === 'loc') return
    const vocabulary = this.#namespaces.of(element)
    const { local } = element
    if (vocabulary === 'core' && (local === 'url' || local === 'sitemap')) this.#openEntry(local === 'sitemap' ? 'index' : 'url')
    else if (this.#entry === undefined) return
    else if (vocabulary === 'core' && this.#extension === undefined && entryTexts.has(local)) this.#openText(this.#entry, local)
    else if (vocabulary === 'xhtml' && local === 'link') this.#addAlternate(this.#entry, element.attributes)
    else if (extensionNames.has(vocabulary) || this.#extension !== undefined) this.#openExtension(this.#entry, element, vocabulary)
  }

  closeElement(_name: XmlName): void {
    if (this.#captured?.depth === this.#depth) this.#endCapture()
    if (this.#extension?.depth === this.#depth) this.#extension = undefined
    if (this.#entry?.depth === this.#depth) this.#closeEntry()
    this.#namespaces.release(this.#depth)
    this.#depth--
  }

  characters(text: string): void {
    if (this.#captured !== undefined) this.#text.add(text)
    else if (this.#entry !== undefined && this.#entry.depth === this.#depth && this.#entry.bare.length < maxBareChars) this.#entry.bare += text
  }

  /** No more is coming: a loc that is open here is a part of one. */
  cutOff(): void {
    this.#isCut = true
    if (this.#captured?.name === 'loc') this.#captured = undefined
  }

  /** Ends what is still open. */
  end(): void {
    if (this.#captured !== undefined) this.#endCapture()
    this.#closeEntry()
  }

  #openEntry(type: SitemapEntry['type'], depth = this.#depth): void {
    this.#closeEntry()
    this.#entry = { type, depth, texts: new Map(), extensions: {}, bare: '' }
  }

  /** A second loc in one entry begins another, which someone forgot to open. */
  #openText(entry: OpenEntry, name: string): void {
    if (name === 'loc' && entry.texts.has('loc')) this.#openEntry(entry.type, entry.depth)
    this.#startCapture(name)
  }

  #startCapture(name: string, fields?: Fields): void {
    this.#captured = { name, depth: this.#depth, ...(fields === undefined ? {} : { fields }) }
    this.#text.start()
  }

  #endCapture(): void {
    const text = this.#text.take()
    const { name, fields } = this.#captured ?? { name: '' }
    this.#captured = undefined
    if (text === '') return
    if (fields !== undefined) addValue(fields, name, text)
    else if (this.#entry?.texts.has(name) === false) this.#entry.texts.set(name, text)
  }

  #addAlternate(entry: OpenEntry, { href, hreflang, rel }: Readonly<Record<string, string>>): void {
    if (href === undefined) return
    addExtension(entry, 'links', { ...(hreflang === undefined ? {} : { hreflang }), href: href.trim(), ...(rel === undefined ? {} : { rel }) })
  }

  /** The first element of a vocabulary opens an extension, those in it are its fields. */
  #openExtension(entry: OpenEntry, { local, attributes }: XmlElement, vocabulary: Vocabulary): void {
    if (this.#extension === undefined) {
      const fields: Fields = {}
      this.#extension = { depth: this.#depth, fields }
      addExtension(entry, vocabulary as ExtensionName, fields) // a member of extensionNames, by the caller's test
      return
    }
    const { fields } = this.#extension
    if (attributes.name !== undefined && attributes.value !== undefined) addValue(fields, attributes.name, attributes.value)
    else this.#startCapture(local === 'tag' ? 'tags' : (attributes.name ?? local), fields)
  }

  #closeEntry(): void {
    const entry = this.#entry
    this.#entry = undefined
    this.#extension = undefined
    if (entry === undefined) return
    const { type, texts, extensions } = entry
    const url = texts.get('loc') ?? (/^\s*https?:\/\/\S+\s*$/.test(entry.bare) && !this.#isCut ? entry.bare.trim() : undefined)
    if (url === undefined) {
      if (this.#isCut) this.#onFault('cut_off', 'the last entry ends early')
      else this.#onFault('malformed_url', 'an entry without loc')
      return
    }
    const lastmodMs = this.#read(texts.get('lastmod'), 'bad_lastmod', parseDate)
    const changefreq = this.#read(texts.get('changefreq'), 'bad_changefreq', readFrequency)
    const priority = this.#read(texts.get('priority'), 'bad_priority', readPriority) ?? 0.5
    const extension = Object.keys(extensions).length === 0 ? {} : { extensions }
    this.#ready.push({
      type,
      url,
      priority,
      ...(lastmodMs === undefined ? {} : { lastmodMs }),
      ...(changefreq === undefined ? {} : { changefreq }),
      ...extension,
    })
  }

  #read<T>(text: string | undefined, fault: SitemapFault, read: (text: string) => T | undefined): T | undefined {
    if (text === undefined) return undefined
    const value = read(text)
    if (value === undefined) this.#onFault(fault, text.slice(0, 100))
    return value
  }
}

function addExtension(entry: OpenEntry, name: ExtensionName, fields: Fields): void {
  const list = entry.extensions[name] ?? []
  entry.extensions[name] = list
  if (list.length < maxExtensions) list.push(fields)
}

function addValue(fields: Fields, name: string, value: string): void {
  const before = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (before === undefined) fields[name] = value
  else if (typeof before === 'string') fields[name] = [before, value]
  else if (before.length < maxValues) before.push(value)
}

function readFrequency(text: string): ChangeFrequency | undefined {
  const lower = text.toLowerCase()
  return changeFrequencies.find(frequency => frequency === lower)
}

function readPriority(text: string): number | undefined {
  const priority = /^\d*[.,]?\d+$/.test(text) ? Number(text.replace(',', '.')) : Number.NaN
  return priority >= 0 && priority <= 1 ? priority : undefined
}
