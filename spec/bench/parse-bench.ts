import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { configWith } from '../../lib/config/resolve-config.js'
import type { PageInput } from '../../lib/parse/page.js'
import { parsePage } from '../../lib/parse/parse-page.js'
import { selectOutlinks } from '../../lib/parse/select-outlinks.js'
import { storedUrl } from '../../lib/record/url.js'
import { signatureOf } from '../../lib/signature/signature-of.js'
import { tryNormalizeUrl } from '../../lib/url/normalize-url.js'
import { sharedRoot } from '../support/paths.js'

export interface ParseRates {
  /** Pages of the sample and their bytes. */
  readonly pages: number
  readonly sampleBytes: number
  /** Megabytes per second on one core: links, text and MD5 signature. */
  readonly parseMBPerS: number
  /** The same with outlinks normalized and chosen. */
  readonly withOutlinksMBPerS: number
  /** The same read by sax in its loose mode (`parser.html.impl=sax`). */
  readonly saxMBPerS: number
  /** With the signature that is dearest: TextProfile. */
  readonly textProfileMBPerS: number
  readonly pagesPerS: number
}

/** How fast HTML is read on one core: real pages where the shared corpus is beside the project, else made ones; `maxPages` of them. */
export function measureParse(rounds = 12, maxPages = Number.POSITIVE_INFINITY): ParseRates {
  const pages = (realPages() ?? Array.from({ length: 100 }, (_, index) => madePage(index))).slice(0, maxPages)
  const sampleBytes = pages.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const { parse, link, signature } = configWith()
  const sax = configWith({ 'parser.html.impl': 'sax' }).parse
  const profile = configWith({ 'db.signature.class': 'TextProfileSignature' }).signature
  const normalize = (url: string) => tryNormalizeUrl(url)
  const mbPerS = (use: (page: PageInput) => void): number => sampleBytes / 1000 / bestMs(pages, rounds, use)
  const parseMBPerS = mbPerS(page => void signatureOf({ ...page, text: parsePage(page, parse).text }, signature))
  return {
    pages: pages.length,
    sampleBytes,
    parseMBPerS,
    withOutlinksMBPerS: mbPerS(page => {
      const parsed = parsePage(page, parse)
      signatureOf({ ...page, text: parsed.text }, signature)
      selectOutlinks(parsed, storedUrl(page.url), { link, normalize, accepts: () => true })
    }),
    saxMBPerS: mbPerS(page => void signatureOf({ ...page, text: parsePage(page, sax).text }, signature)),
    textProfileMBPerS: mbPerS(page => void signatureOf({ ...page, text: parsePage(page, parse).text }, profile)),
    pagesPerS: Math.round((parseMBPerS * 1_000_000 * pages.length) / sampleBytes),
  }
}

/** The best of some rounds over all pages, the first of which warms up. */
function bestMs(pages: readonly PageInput[], rounds: number, use: (page: PageInput) => void): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round <= rounds; round++) {
    const startMs = performance.now()
    for (const page of pages) use(page)
    if (round > 0) best = Math.min(best, performance.now() - startMs)
  }
  return best
}

function realPages(): PageInput[] | undefined {
  if (sharedRoot === undefined) return undefined
  const folder = join(sharedRoot, 'corpus/html/pages')
  return readdirSync(folder)
    .filter(name => /^(?:rd|tr|gs|np|go|p5)-/.test(name)) // pages of sites, not fuzzed or made ones
    .map(name => ({ url: `http://www.example.com/${name}`, contentType: 'text/html', bytes: readFileSync(join(folder, name)) }))
}

/** A page of about 40 kB, with the share of markup, script and text that news pages have. */
function madePage(seed: number): PageInput {
  const sections = Array.from({ length: 40 }, (_, index) => {
    const number = seed * 40 + index
    return `<section class="teaser teaser--${number % 7}" data-id="${number}">
      <h2><a href="/news/${number}/some-words-about-it.html?from=front&amp;pos=${index}"
      title="a title">Headline ${number} of the day</a></h2>
      <p>${'Some words of a teaser, with <em>stress</em> and &quot;quotes&quot;. '.repeat(5)}</p>
      <img src="/img/${number}.jpg" alt="picture" width="320" height="180" loading="lazy"></section>`
  })
  const html = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Page ${seed}</title>
    <script>${'var a = {"b": [1, 2, 3]};\n'.repeat(200)}</script></head>
    <body>${sections.join('\n')}</body></html>`
  return { url: `http://www.example.com/${seed}`, contentType: 'text/html', bytes: Buffer.from(html) }
}
