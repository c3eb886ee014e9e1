import { parseDate } from '../date/parse-date.js'
import type { ReadOptions } from '../document.js'
import { emptyRawPage, type RawPage } from '../raw-page.js'
import { htmlToText } from '../text/html-to-text.js'
import { collapseSpace, TextBuilder } from '../text/text-builder.js'
import { Namespaces } from '../xml/namespaces.js'
import type { XmlElement, XmlHandler, XmlName } from '../xml/xml-reader.js'
import { emptyEntry, type FeedEntry } from './feed-entry.js'

/** Elements whose titles and links are not those of the feed or entry. */
const skippedElements = new Set(['source', 'image', 'textinput', 'author', 'contributor', 'managingeditor', 'webmaster', 'owner', 'logo', 'schedule'])
const titleElements = new Set(['title'])
const summaryElements = new Set(['description', 'summary', 'content', 'encoded', 'abstract', 'body', 'fullitem', 'tagline', 'subtitle'])
const publishedElements = new Set(['pubdate', 'published', 'issued', 'date', 'created', 'lastbuilddate'])
const updatedElements = new Set(['updated', 'modified'])
/** Relations that lead to what no reader of the feed would open. */
const unfollowedRels = new Set(['hub', 'edit', 'edit-media', 'service.post', 'service.edit', 'service.feed', 'http://schemas.google.com/g/2005#post'])

interface Capture {
  readonly name: string
  readonly depth: number
  readonly attributes: Readonly<Record<string, string>>
  text: string
}

/** Collects a feed from the events of XML: RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0, CDF. Entries become links with title and time. */
export class FeedCollector implements XmlHandler {
  readonly page: RawPage = emptyRawPage()
  readonly #options: ReadOptions
  readonly #text: TextBuilder
  readonly #namespaces = new Namespaces()
  readonly #bases: { readonly depth: number; readonly url: string }[]
  #depth = 0
  #skippedDepth = Number.POSITIVE_INFINITY
  #capture: Capture | undefined
  #entry: FeedEntry | undefined
  #entryDepth = 0
  #feedSummary = ''

  /** @param takesAnyGuid whether a guid that is a URL stands for a missing link even if it says that it is no permalink */
  constructor(
    options: ReadOptions,
    url: string,
    private readonly takesAnyGuid = false,
  ) {
    this.#options = options
    this.#text = new TextBuilder(options.maxTextChars)
    this.#bases = [{ depth: 0, url }]
  }

  get text(): string {
    return this.#text.toString()
  }

  openElement(element: XmlElement): void {
    this.#depth++
    this.#namespaces.bind(element, this.#depth)
    const base = element.attributes['xml:base'] ?? (element.local === 'channel' ? element.attributes.base : undefined)
    if (base !== undefined) this.#bases.push({ depth: this.#depth, url: this.#absolute(base) ?? this.#base })
    if (this.#depth > this.#skippedDepth) return
    const vocabulary = this.#namespaces.of(element)
    const { local, attributes } = element
    if (this.#capture !== undefined && !this.#endsOpenTitle(this.#capture, vocabulary, local)) return
    if (this.page.lang === '' && this.#depth <= 2) this.page.lang = attributes['xml:lang']?.trim() ?? ''
    if (vocabulary === 'core' && (local === 'item' || local === 'entry')) this.#openEntry(attributes)
    else if (vocabulary === 'core' && skippedElements.has(local)) this.#skippedDepth = this.#depth
    else if (vocabulary === 'core' && local === 'link' && attributes.href !== undefined) this.#addAtomLink(attributes)
    else if (vocabulary === 'core' && local === 'enclosure' && attributes.url !== undefined) this.#addOther(attributes.url, 'enclosure', 'enclosure')
    else if (vocabulary === 'core' && local === 'channel' && attributes.href !== undefined) this.#addFeedLink(attributes.href, 'alternate')
    else if (this.#isCaptured(vocabulary, local)) this.#capture = { name: local, depth: this.#depth, attributes, text: '' }
  }

  closeElement(_name: XmlName): void {
    if (this.#capture !== undefined && this.#capture.depth === this.#depth) {
      const capture = this.#capture
      this.#capture = undefined
      this.#take(capture)
    }
    if (this.#entry !== undefined && this.#entryDepth === this.#depth) this.#closeEntry(this.#entry)
    if (this.#skippedDepth === this.#depth) this.#skippedDepth = Number.POSITIVE_INFINITY
    if (this.#bases.length > 1 && this.#bases.at(-1)?.depth === this.#depth) this.#bases.pop()
    this.#namespaces.release(this.#depth)
    this.#depth--
  }

  characters(text: string): void {
    if (this.#capture !== undefined && this.#capture.text.length < this.#options.maxAttributeChars) this.#capture.text += text
  }

  /** Ends what is still open. */
  end(): void {
    if (this.#capture !== undefined) this.#take(this.#capture)
    if (this.#entry !== undefined) this.#closeEntry(this.#entry)
  }

  /** A title that was left open ends where the next thing of the feed begins. */
  #endsOpenTitle(capture: Capture, vocabulary: string, local: string): boolean {
    const isNext = local === 'item' || local === 'entry' || local === 'link' || publishedElements.has(local)
    if (!titleElements.has(capture.name) || vocabulary !== 'core' || !isNext) return false
    this.#capture = undefined
    this.#take(capture)
    return true
  }

  #isCaptured(vocabulary: string, local: string): boolean {
    if (vocabulary === 'core') {
      return (
        local === 'link' ||
        local === 'guid' ||
        local === 'id' ||
        local === 'language' ||
        titleElements.has(local) ||
        summaryElements.has(local) ||
        publishedElements.has(local) ||
        updatedElements.has(local)
      )
    }
    if (vocabulary === 'dc') return local === 'date' || local === 'language' || local === 'title' || local === 'modified'
    if (vocabulary === 'media') return local === 'title'
    return vocabulary === 'content' || vocabulary === 'xhtml' ? summaryElements.has(local) : false
  }

  #openEntry(attributes: Readonly<Record<string, string>>): void {
    if (this.#entry !== undefined) this.#closeEntry(this.#entry)
    this.#entry = emptyEntry()
    this.#entryDepth = this.#depth
    // In CDF the link is an attribute.
    if (attributes.href !== undefined) this.#entry.link = this.#absolute(attributes.href)
    if (attributes.lastmod !== undefined) this.#entry.updatedMs = parseDate(attributes.lastmod)
  }

  #take({ name, attributes, text }: Capture): void {
    const entry = this.#entry
    if (name === 'link') this.#takeLink(text.trim(), entry)
    else if (name === 'guid' || name === 'id') {
      const isPermalink = (this.takesAnyGuid || attributes.ispermalink?.toLowerCase() !== 'false') && /^https?:\/\//i.test(text.trim())
      if (entry !== undefined && isPermalink) entry.linkFallback ??= text.trim()
    } else if (name === 'language') {
      if (this.page.lang === '') this.page.lang = text.trim()
    } else if (titleElements.has(name)) this.#takeTitle(this.#plain(text, attributes), entry)
    else if (publishedElements.has(name)) {
      if (entry !== undefined) entry.publishedMs ??= parseDate(text)
    } else if (updatedElements.has(name)) {
      if (entry !== undefined) entry.updatedMs ??= parseDate(text)
    } else if (entry !== undefined) entry.summary ||= this.#plain(text, attributes)
    else this.#feedSummary ||= this.#plain(text, attributes)
  }

  #takeLink(reference: string, entry: FeedEntry | undefined): void {
    if (reference === '') return
    if (entry === undefined) this.#addFeedLink(reference, 'alternate')
    else entry.link ??= this.#absolute(reference)
  }

  #takeTitle(title: string, entry: FeedEntry | undefined): void {
    if (entry !== undefined) entry.title ||= title
    else if (this.page.title === '') {
      this.page.title = title
      this.#addLine(title)
    }
  }

  /** Text of a construct that may hold escaped markup, or base64 in Atom 0.3. */
  #plain(text: string, { mode, type }: Readonly<Record<string, string>>): string {
    const content = mode === 'base64' || type === 'application/octet-stream' ? Buffer.from(text, 'base64').toString() : text
    return collapseSpace(type === 'text' || type === 'text/plain' ? content : htmlToText(content, this.#options))
  }

  #addAtomLink(attributes: Readonly<Record<string, string>>): void {
    const rel = attributes.rel?.trim().toLowerCase() ?? 'alternate'
    const reference = attributes.href ?? ''
    if (unfollowedRels.has(rel)) return
    if (this.#entry === undefined) this.#addFeedLink(reference, rel)
    else if (rel === 'alternate' && this.#entry.link === undefined) this.#entry.link = this.#absolute(reference)
    else this.#addOther(reference, rel, rel === 'enclosure' ? 'enclosure' : 'link')
  }

  #addFeedLink(reference: string, rel: string): void {
    this.#push({ reference: this.#absolute(reference) ?? reference, rel, element: 'link', anchor: rel === 'alternate' ? this.page.title : '' })
  }

  #addOther(reference: string, rel: string, element: string): void {
    const link = { reference: this.#absolute(reference) ?? reference, rel, element }
    if (this.#entry === undefined) this.#push({ ...link, anchor: '' })
    else if (this.#entry.others.length < this.#options.maxLinks) this.#entry.others.push(link)
  }

  #closeEntry(entry: FeedEntry): void {
    this.#entry = undefined
    const reference = entry.link ?? entry.linkFallback
    const timeMs = entry.updatedMs ?? entry.publishedMs
    const time = timeMs === undefined ? {} : { timeMs }
    if (reference !== undefined) this.#push({ reference, rel: 'alternate', element: 'entry', anchor: entry.title, ...time })
    for (const other of entry.others) this.#push({ ...other, anchor: entry.title, ...time })
    if (this.#feedSummary !== '') this.#addLine(this.#feedSummary)
    this.#feedSummary = ''
    this.#addLine(entry.title)
    this.#addLine(entry.summary)
  }

  #push(link: RawPage['links'][number]): void {
    if (this.page.links.length < this.#options.maxLinks) this.page.links.push(link)
    else this.page.linksOverLimit++
  }

  #addLine(text: string): void {
    this.#text.breakLine()
    this.#text.add(text)
    this.#text.breakLine()
  }

  get #base(): string {
    return this.#bases.at(-1)?.url ?? ''
  }

  #absolute(reference: string): string | undefined {
    try {
      return new URL(reference.trim(), this.#base).href
    } catch {
      return undefined
    }
  }
}
