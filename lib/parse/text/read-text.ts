import type { PageReader } from '../document.js'
import { emptyRawPage } from '../raw-page.js'
import { findUrls } from './find-urls.js'
import { TextBuilder } from './text-builder.js'

/** Reads plain text: its lines, and the URLs that stand in it as links without an anchor. */
export const readText: PageReader = (document, options) => {
  const raw = emptyRawPage()
  const builder = new TextBuilder(options.maxTextChars)
  const text = document.text()
  builder.addPreformatted(text)
  for (const { url } of findUrls(text)) {
    if (raw.links.length < options.maxLinks) raw.links.push({ reference: url, rel: '', element: 'text', anchor: '' })
    else raw.linksOverLimit++
  }
  return { raw, text: builder.toString() }
}
