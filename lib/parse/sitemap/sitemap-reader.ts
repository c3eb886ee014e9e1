import { parseFields } from '../../config/parse-options.js'
import type { ReadOptions } from '../document.js'
import { FeedCollector } from '../feed/feed-collector.js'
import { type XmlHandler, type XmlLimits, XmlReader } from '../xml/xml-reader.js'
import { SitemapCollector } from './sitemap-collector.js'
import { maxEntries, type SitemapEntry, type SitemapFault, type SitemapOptions } from './sitemap-entry.js'
import { absoluteLoc, sitemapScope } from './sitemap-scope.js'

/** Reads one form of sitemap from text that comes in pieces. */
interface FormReader {
  write(text: string): void
  /** @param isCut whether what is open is a part only */
  end(isCut: boolean): void
  /** Entries completed since the last call, as they stand there. */
  drain(): SitemapEntry[]
  /** Reading stopped before the end. */
  readonly fault: string | undefined
}

/** Characters in which the form of a sitemap must show. */
const headChars = 8192

/** Reads a sitemap of any form (urlset, index, RSS, Atom, plain text) piece by piece; keeps one entry at a time. */
export class SitemapReader {
  readonly #options: SitemapOptions
  readonly #isInScope: (url: string) => boolean
  #form: FormReader | undefined
  #head = ''
  #isForeign = false
  #entryCount = 0

  constructor(options: SitemapOptions) {
    this.#options = options
    this.#isInScope = sitemapScope(options.url, options.namedBy)
  }

  /** Takes text, gives the entries that are complete. */
  write(text: string): SitemapEntry[] {
    if (this.#isForeign) return []
    if (this.#form === undefined) {
      this.#head += text
      if (this.#head.length < headChars) return []
      this.#decideForm()
    } else this.#form.write(text)
    return this.#drain()
  }

  /** @param isCut whether the text is known to end early */
  end(isCut = false): SitemapEntry[] {
    if (this.#form === undefined && !this.#isForeign) this.#decideForm()
    this.#form?.end(isCut)
    const entries = this.#drain()
    if (this.#form?.fault !== undefined) this.#fault('cut_off', this.#form.fault)
    return entries
  }

  #decideForm(): void {
    const form = formOf(this.#head, this.#options, (fault, fact) => this.#fault(fault, fact))
    if (form === undefined) {
      this.#isForeign = true
      this.#fault('not_a_sitemap', 'neither urlset nor sitemapindex, feed or list of URLs')
    }
    this.#form = form
    this.#form?.write(this.#head)
    this.#head = ''
  }

  #drain(): SitemapEntry[] {
    return (this.#form?.drain() ?? []).flatMap(entry => this.#admit(entry) ?? [])
  }

  #admit(entry: SitemapEntry): SitemapEntry | undefined {
    if (++this.#entryCount === maxEntries + 1) this.#fault('over_entries', `more than ${maxEntries} entries`)
    const url = absoluteLoc(entry.url)
    if (url === undefined) {
      this.#fault('malformed_url', entry.url.slice(0, 200))
      return undefined
    }
    if (entry.type === 'url' && this.#options.isStrict && !this.#isInScope(url)) {
      this.#fault('out_of_scope', url.slice(0, 200))
      return undefined
    }
    return { ...entry, url }
  }

  #fault(fault: SitemapFault, fact: string): void {
    this.#options.onFault?.(fault, fact)
  }
}

type OnFault = (fault: SitemapFault, fact: string) => void

function formOf(head: string, options: SitemapOptions, onFault: OnFault): FormReader | undefined {
  if (hasTag('urlset|sitemapindex', head)) return sitemapForm(options, onFault)
  if (/<rdf:rdf[\s>]/i.test(head) || hasTag('rss|feed', head)) return feedForm(options)
  if (hasTag('url|sitemap', head)) return sitemapForm(options, onFault)
  return !head.includes('<') && /^[ \t]*(?:https?|ftp):\/\//im.test(head) ? new TextForm() : undefined
}

function hasTag(names: string, text: string): boolean {
  return new RegExp(`<(?:[\\w.-]{1,40}:)?(?:${names})[\\s>]`, 'i').test(text)
}

interface EntryCollector extends XmlHandler {
  /** Told that the text which is open ends early, before all that is open is closed. */
  cutOff?(): void
  end(): void
}

/** A form in XML: a collector reads it. */
class XmlForm implements FormReader {
  readonly #collector: EntryCollector
  readonly #reader: XmlReader

  constructor(
    collector: EntryCollector,
    limits: XmlLimits,
    readonly drain: () => SitemapEntry[],
  ) {
    this.#collector = collector
    this.#reader = new XmlReader(collector, limits)
  }

  get fault(): string | undefined {
    return this.#reader.fault
  }

  write(text: string): void {
    this.#reader.write(text)
  }

  end(): void {
    if (this.#reader.endsInText) this.#collector.cutOff?.()
    this.#reader.end()
    this.#collector.end()
  }
}

function sitemapForm(options: SitemapOptions, onFault: OnFault): FormReader {
  const collector = new SitemapCollector(options.maxAttributeChars, onFault)
  return new XmlForm(collector, options, () => collector.drain())
}

/** A feed that serves as sitemap: its entries, with their time as lastmod. */
function feedForm({ url, maxDepth, maxAttributeChars }: SitemapOptions): FormReader {
  const defaults = Object.fromEntries(Object.entries(parseFields).map(([name, field]) => [name, field.parse(field.default)]))
  const readOptions = { ...defaults, maxDepth, maxAttributeChars, maxTextChars: 0 } as unknown as ReadOptions // built from the table that types it
  const collector = new FeedCollector(readOptions, url, true)
  return new XmlForm(collector, { maxDepth }, () =>
    collector.page.links
      .splice(0)
      .filter(({ element }) => element === 'entry')
      .map(({ reference, timeMs }) => ({ type: 'url', url: reference, priority: 0.5, ...(timeMs === undefined ? {} : { lastmodMs: timeMs }) })),
  )
}

/** One URL a line. */
class TextForm implements FormReader {
  readonly fault = undefined
  #rest = ''
  #ready: SitemapEntry[] = []

  write(text: string): void {
    const lines = (this.#rest + text).split(/[\r\n]+/)
    this.#rest = (lines.pop() ?? '').slice(0, maxLineChars)
    for (const line of lines) this.#take(line)
  }

  end(isCut: boolean): void {
    if (!isCut) this.#take(this.#rest)
    this.#rest = ''
  }

  drain(): SitemapEntry[] {
    const ready = this.#ready
    this.#ready = []
    return ready
  }

  #take(line: string): void {
    const url = line.trim()
    if (url !== '' && !url.startsWith('#')) this.#ready.push({ type: 'url', url, priority: 0.5 })
  }
}

const maxLineChars = 16_384
