import { configWith } from '../../lib/config/resolve-config.js'
import { canonicalByParser } from '../../lib/url/normalize-url.js'
import { loadFilters, loadNormalizers } from '../../pipelines/url-rules.js'

export interface UrlRates {
  /** Distinct URLs of the sample. */
  readonly urls: number
  /** URLs per second through the default normalizers. */
  readonly normalizePerS: number
  /** The same for URLs of which each has something to be changed. */
  readonly normalizeRoughPerS: number
  /** Through the URL parser of the platform alone: what a normalizer without a fast path could reach at most. */
  readonly platformParserPerS: number
  /** Through our own slow path, for comparison. */
  readonly slowPathPerS: number
  /** URLs per second through the default filters. */
  readonly filterPerS: number
}

/** How fast URLs are normalized and filtered by the default chains on one core, over a mix of what pages link to. */
export function measureUrls(count = 50_000, rounds = 5): UrlRates {
  const { url } = configWith()
  const normalizers = loadNormalizers(url)
  const filters = loadFilters(url)
  const urls = sampleUrls(count)
  const rough = urls.map(roughened)
  return {
    urls: count,
    normalizePerS: perSecond(urls, rounds, each => void normalizers.tryNormalize(each)),
    normalizeRoughPerS: perSecond(rough, rounds, each => void normalizers.tryNormalize(each)),
    platformParserPerS: perSecond(urls, rounds, each => void new URL(each).href),
    slowPathPerS: perSecond(urls, rounds, each => void canonicalByParser(each, {})),
    filterPerS: perSecond(urls, rounds, each => void filters.accepts(each)),
  }
}

/** The best of some rounds, the first of which warms up. */
function perSecond(urls: readonly string[], rounds: number, use: (url: string) => void): number {
  let best = 0
  for (let round = 0; round <= rounds; round++) {
    const startMs = performance.now()
    for (const url of urls) use(url)
    const rate = (urls.length / (performance.now() - startMs)) * 1000
    if (round > 0) best = Math.max(best, rate)
  }
  return Math.round(best)
}

const words = [
  'news',
  'article',
  'wiki',
  'product',
  'category',
  'user',
  'forum',
  'thread',
  'about',
  'blog',
  'archive',
  'tag',
  'en',
  'static',
  'images',
  'docs',
  'api',
  'guide',
]
const ends = ['', '/', '.html', '.php', '.jpg', '.css', '', '', '/index.html', '.pdf']

/** A repeatable mix: hosts, paths of one to six segments, every third with a query, some with escapes. */
function sampleUrls(count: number): string[] {
  let state = 12_345
  const next = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
  const word = (): string => words[next(words.length)] as string
  return Array.from({ length: count }, (_, index) => {
    const path = Array.from({ length: 1 + next(6) }, () => (next(3) === 0 ? String(next(100_000)) : `${word()}-${word()}`)).join('/')
    const query = index % 3 === 0 ? `?id=${next(1_000_000)}&page=${next(50)}${index % 9 === 0 ? `&q=${word()}%20${word()}` : ''}` : ''
    return `${index % 4 === 0 ? 'http' : 'https'}://www.${word()}${next(2000)}.example/${path}${ends[next(ends.length)]}${query}`
  })
}

/** The same URL as careless pages write it. */
function roughened(url: string, index: number): string {
  const variants = [
    (text: string) => text.replace('www.', 'WWW.'),
    (text: string) => text.replace('.example/', '.example:443/x/../').replace('http:', 'https:'),
    (text: string) => `${text}#top`,
    (text: string) => `${text}${text.includes('?') ? '&' : '?'}utm_source=feed`,
    (text: string) => `${text}/%7euser/ä`,
    (text: string) => ` ${text}`,
  ]
  return (variants[index % variants.length] as (text: string) => string)(url)
}
