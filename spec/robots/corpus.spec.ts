import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parseRobots } from '../../lib/robots/parse-robots.js'
import { pathAndQuery } from '../../lib/robots/path-pattern.js'
import { describeCorpus, readCorpus } from '../support/corpus.js'

interface RobotsCase {
  readonly id: string
  readonly robots?: string
  readonly robotsBase64?: string
  readonly file?: string
  readonly agents: readonly string[]
  readonly url: string
  readonly allowed?: boolean
  readonly crawlDelayMs?: number | null
  readonly byLibrary?: Readonly<Record<string, boolean>>
}

/** Stated cases that RFC 9309 decides otherwise, each with the reason. The three recorded parsers disagree on all of them but those marked. */
const decidedByRfc: Readonly<Record<string, string>> = {
  'google-0041': 'a name with a blank is no product token; the line names it as a whole, and two of three parsers take it so',
  'google-0064': 'octets outside ASCII are compared percent-encoded (§2.2.2); that suite wants the URL encoded before',
  'google-0066': 'the same',
  'google-0067': 'escapes of unreserved characters are compared decoded (§2.2.2)',
  'cc-0214': 'a crawler with a group of its own does not read the group of * (§2.2.1); not run by the other parsers',
  'cc-0271': 'a whole User-Agent header names its first product only: case cc-0269 says so; not run by the other parsers',
  'cc-0442': 'a long Crawl-delay forbids nothing by itself; fetcher.max.crawl.delay decides',
  'protego-0117': 'a product token is matched, not any part of a User-Agent header (§2.2.1)',
  'protego-0241': 'unknown lines end no group (§2.2.4)',
  'protego-0242': 'the same',
  'protego-0249': 'three words without a colon are no line of the grammar (§2.2)',
  'protego-0252': 'no wildcards in product tokens (§2.2.1)',
  'protego-0296': '$ at the end of a pattern is the end of the path, and nothing else (§2.2.3)',
  'protego-0298': 'a pattern begins with / or * (§2.2.2)',
  'protego-0313': 'a product token is matched whole (§2.2.1)',
  'protego-0319': 'the same',
  'protego-0322': 'the same',
  'protego-0323': 'the same',
}

const tables = ['google', 'crawler-commons', 'protego', 'rfc9309', 'nutch'] as const

describeCorpus('robots.txt corpus', corpus => {
  const bytesOf = ({ robots = '', robotsBase64, file }: RobotsCase): Uint8Array => {
    if (file !== undefined) return readFileSync(join(corpus, 'robots', file))
    return robotsBase64 === undefined ? Buffer.from(robots) : Buffer.from(robotsBase64, 'base64')
  }

  for (const table of tables) {
    it(`decides ${table} as stated`, () => {
      const cases = readCorpus<RobotsCase>(`robots/${table}.json`)?.cases ?? []
      const wrong = cases.filter(one => parseRobots(bytesOf(one)).decide(one.agents, one.url).allowed !== one.allowed)
      expect(wrong.map(({ id }) => id).filter(id => decidedByRfc[id] === undefined)).to.deep.equal([])
      expect(cases.length).to.be.above(15)
    })
  }

  it('departs from the suites only where it says so', () => {
    const all = tables.flatMap(table => readCorpus<RobotsCase>(`robots/${table}.json`)?.cases ?? [])
    const wrong = all.filter(one => parseRobots(bytesOf(one)).decide(one.agents, one.url).allowed !== one.allowed)
    expect(wrong.map(({ id }) => id).sort()).to.deep.equal(Object.keys(decidedByRfc).sort())
    const unanimous = wrong.filter(({ byLibrary = {}, allowed }) => {
      const answers = Object.values(byLibrary)
      return answers.length > 0 && answers.every(answer => answer === allowed)
    })
    expect(unanimous).to.deep.equal([])
  })

  it('reads Crawl-delay as stated', () => {
    const cases = [
      ...(readCorpus<RobotsCase>('robots/crawler-commons.json')?.cases ?? []),
      ...(readCorpus<RobotsCase>('robots/nutch.json')?.cases ?? []),
    ]
    const wrong = cases.filter(one => 'crawlDelayMs' in one && (parseRobots(bytesOf(one)).crawlDelayMs(one.agents) ?? null) !== one.crawlDelayMs)
    expect(wrong.map(({ id }) => id)).to.deep.equal(['cc-0442']) // reads 3600 s, which that suite turns into a ban
  })

  it('answers real files as Google, crawler-commons and Protego do where they agree, and as Google where not', () => {
    const cases = readCorpus<RobotsCase & { readonly byLibrary: { readonly google: boolean } }>('robots/real-recorded.json')?.cases ?? []
    const wrong = cases.filter(one => parseRobots(bytesOf(one)).decide(one.agents, one.url).allowed !== one.byLibrary.google)
    expect(wrong.map(({ id }) => id)).to.deep.equal([])
    expect(cases.length).to.equal(800)
  })

  it('finds sitemaps and delays as crawler-commons states', () => {
    interface DelayCase extends RobotsCase {
      readonly robotsUrl: string
      readonly sitemaps: readonly string[]
    }
    const cases = readCorpus<DelayCase>('robots/crawler-commons-delay-sitemap.json')?.cases ?? []
    for (const one of cases) {
      const rules = parseRobots(bytesOf(one))
      expect(rules.crawlDelayMs(one.agents) ?? null, one.id).to.equal(one.crawlDelayMs)
      const sitemaps = new Set(rules.sitemaps.filter(URL.canParse.length > 0 ? sitemap => URL.canParse(sitemap, one.robotsUrl) : Boolean))
      expect([...new Set([...sitemaps].map(sitemap => new URL(sitemap, one.robotsUrl).href))], one.id).to.deep.equal(one.sitemaps)
    }
    expect(cases.length).to.equal(25)
  })

  it('finds the part of a URL that rules match as Google does', () => {
    interface ExtraCase {
      readonly op: string
      readonly url: string
      readonly expected: string
    }
    const cases = (readCorpus<ExtraCase>('robots/google-extra.json')?.cases ?? []).filter(({ op }) => op === 'pathParamsQuery')
    for (const { url, expected } of cases) expect(pathAndQuery(url), url).to.equal(expected)
    expect(cases.length).to.be.above(10)
  })

  it('reads Crawl-delay and sitemaps as Protego states', () => {
    interface ExtraCase {
      readonly id: string
      readonly op: string
      readonly robots: string
      readonly agent: string | null
      readonly expected: number | null | readonly string[]
    }
    const cases = readCorpus<ExtraCase>('robots/protego-extra.json')?.cases ?? []
    for (const { id, op, robots, agent, expected } of cases) {
      const rules = parseRobots(Buffer.from(robots))
      if (op === 'sitemaps') expect(rules.sitemaps, id).to.deep.equal(expected)
      const delayMs = rules.crawlDelayMs([agent ?? '*'])
      if (op === 'crawl_delay') expect(delayMs === undefined ? null : delayMs / 1000, id).to.equal(expected)
    }
  })
})
