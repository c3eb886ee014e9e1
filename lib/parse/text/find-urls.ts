/** A URL that stands in running text. */
export interface FoundUrl {
  readonly url: string
  readonly at: number
}

/** What cannot stand in a URL in running text: white space, controls, quotes and brackets that set it off. */
const urlPattern = /(?:https?|ftp):\/\/[^\s\p{Cc}\u00a0"<>`{}|\\^\u2018-\u201f\u3000-\u3002\uff08\uff09]+/giu

/** Longer ones are data, not links. */
const maxUrlChars = 4096

/** URLs in running text, in order (Nutch’s OutlinkExtractor). A sentence’s full stop, and a bracket opened before the URL, are no part of it. */
export function* findUrls(text: string): Generator<FoundUrl> {
  for (const match of text.matchAll(urlPattern)) {
    const url = withoutTrailingPunctuation(match[0])
    if (url.length <= maxUrlChars && /^[a-z]+:\/\/[^/?#]/i.test(url)) yield { url, at: match.index }
  }
}

const closers: Readonly<Record<string, string>> = { ')': '(', ']': '[' }

function withoutTrailingPunctuation(url: string): string {
  let end = url.length
  for (; end > 0; end--) {
    const last = url[end - 1] as string
    const opener = closers[last]
    if (opener !== undefined) {
      if (count(url, opener, end) >= count(url, last, end)) break
    } else if (!".,;:!?'*_~»…。，、".includes(last)) break
  }
  return url.slice(0, end)
}

function count(text: string, character: string, end: number): number {
  let found = 0
  for (let at = text.indexOf(character); at >= 0 && at < end; at = text.indexOf(character, at + 1)) found++
  return found
}
