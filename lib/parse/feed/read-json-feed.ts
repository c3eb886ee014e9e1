import { isJsonObject } from '../../record/line-format.js'
import { parseDate } from '../date/parse-date.js'
import type { PageReader, ReadOptions } from '../document.js'
import { emptyRawPage, type RawPage } from '../raw-page.js'
import { htmlToText } from '../text/html-to-text.js'
import { readText } from '../text/read-text.js'
import { collapseSpace, TextBuilder } from '../text/text-builder.js'

type Json = Readonly<Record<string, unknown>>

/** Reads a JSON Feed (jsonfeed.org, versions 1 and 1.1); other JSON is read as plain text. */
export const readJson: PageReader = (document, options) => {
  const feed = parsedFeed(document.text())
  return feed === undefined ? readText(document, options) : readJsonFeed(feed, options)
}

function parsedFeed(text: string): (Json & { readonly items: readonly unknown[] }) | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined // no JSON: the caller reads it as text
  }
  if (!isJsonObject(value) || !Array.isArray(value.items)) return undefined
  const isFeed =
    textOf(value.version).includes('jsonfeed.org') ||
    (typeof value.title === 'string' && value.items.some(item => isJsonObject(item) && 'url' in item))
  return isFeed ? { ...value, items: value.items } : undefined
}

function readJsonFeed(feed: Json & { readonly items: readonly unknown[] }, options: ReadOptions): { raw: RawPage; text: string } {
  const raw = emptyRawPage()
  const builder = new TextBuilder(options.maxTextChars)
  const addLine = (text: string): void => {
    builder.breakLine()
    builder.add(text)
  }
  const push = (reference: unknown, rel: string, element: string, anchor: string, time = {}): void => {
    if (typeof reference !== 'string' || reference === '') return
    if (raw.links.length < options.maxLinks) raw.links.push({ reference, rel, element, anchor, ...time })
    else raw.linksOverLimit++
  }
  raw.title = collapseSpace(textOf(feed.title))
  raw.lang = textOf(feed.language)
  addLine(raw.title)
  addLine(textOf(feed.description))
  push(feed.home_page_url, 'alternate', 'link', raw.title)
  push(feed.feed_url, 'self', 'link', '')
  push(feed.next_url, 'next', 'link', '')
  for (const item of feed.items) {
    if (!isJsonObject(item)) continue
    const title = collapseSpace(htmlToText(textOf(item.title), options))
    const timeMs = parseDate(textOf(item.date_modified)) ?? parseDate(textOf(item.date_published))
    const time = timeMs === undefined ? {} : { timeMs }
    push(item.url ?? item.id, 'alternate', 'entry', title, time)
    push(item.external_url, 'related', 'link', title, time)
    if (Array.isArray(item.attachments))
      for (const file of item.attachments) if (isJsonObject(file)) push(file.url, 'enclosure', 'enclosure', title, time)
    addLine(title)
    addLine(textOf(item.content_text) || htmlToText(textOf(item.content_html) || textOf(item.summary), options))
  }
  return { raw, text: builder.toString() }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
