import { expect } from 'chai'
import { configWith } from '../../../lib/config/resolve-config.js'
import { injectedDatum, reduceInject } from '../../../lib/crawldb/rules/inject-rule.js'
import { reduceUpdate } from '../../../lib/crawldb/rules/update-rule.js'
import { datumToNutchText } from '../../../lib/record/nutch-text.js'
import { protocolStatusText } from '../../../lib/record/protocol-status.js'
import type { CrawlDatum, DbDatum } from '../../../lib/record/records.js'
import { parseSeedLine } from '../../../lib/record/seed-line.js'
import { statusName } from '../../../lib/record/status.js'
import { storedUrl } from '../../../lib/record/url.js'
import { createSchedule } from '../../../lib/schedule/create-schedule.js'
import { createScoring } from '../../../lib/score/create-scoring.js'
import { describeCorpus, readCorpus } from '../../support/corpus.js'

const config = configWith()
const schedule = createSchedule(config.schedule)
const scoring = createScoring(config.score)
const timeZone = 'Asia/Shanghai'
const seedUrl = storedUrl('http://seed.example/')

function injectAt(nowMs: number, line: string): DbDatum {
  const rules = { schedule, scoring, db: config.db, overwrites: false, updates: false, nowMs }
  const seed = parseSeedLine(line)
  if (seed.kind !== 'seed') throw new Error(line)
  return reduceInject(undefined, [injectedDatum(storedUrl(seed.urlText), seed.seed, rules)], rules) as DbDatum
}
function printed(datum: CrawlDatum): string {
  return datumToNutchText(datum, timeZone)
}

describe('the records of a crawl of one seed, as Nutch prints them', () => {
  const injectMs = Date.parse('2014-07-09T15:10:00+08:00')
  const generateMs = Date.parse('2014-07-09T15:13:30+08:00')
  const fetchMs = Date.parse('2014-07-09T15:14:02+08:00')
  const parseMs = Date.parse('2014-07-09T15:14:30+08:00')
  const updateMs = Date.parse('2014-07-09T15:15:00+08:00')
  const signature = Buffer.from('2c1eb8ec14d238c24c2e92ade12860a8', 'hex')
  const protocolStatus = protocolStatusText('success')

  const injected = injectAt(injectMs, seedUrl)
  const listed: DbDatum = { ...injected, metadata: { _ngt_: String(generateMs) } }
  const fetched = { ...listed, status: 'fetch_success', fetchTimeMs: fetchMs, metadata: { ...listed.metadata, _pst_: protocolStatus } } as const
  const outlinks = Array.from({ length: 100 }, (_, index) => ({
    url: storedUrl(index === 0 ? 'http://seed.example/about' : `http://other.example/${index}`),
    anchor: '',
    rel: '',
    element: 'a',
  }))
  const [link] = scoring.distribute({ from: listed, parseMetadata: {}, extractedCount: 100, links: outlinks })
  const rules = { schedule, scoring, db: config.db, nowMs: updateMs }

  it('inject: unfetched, due at once, score 1.0', () => {
    expect(printed(injected)).to.equal(
      'Version: 7\nStatus: 1 (db_unfetched)\nFetch time: Wed Jul 09 15:10:00 CST 2014\nModified time: Thu Jan 01 08:00:00 CST 1970\n' +
        'Retries since fetch: 0\nRetry interval: 2592000 seconds (30 days)\nScore: 1.0\nSignature: null\nMetadata: \n ',
    )
  })
  it('generate: the time of the list', () => expect(printed(listed)).to.match(/^Version: 7\nStatus: 1 [\s\S]*Metadata: \n \t_ngt_=1404890010000\n$/))
  it('fetch: 33, its time, its protocol status', () => {
    expect(printed(fetched)).to.equal(
      'Version: 7\nStatus: 33 (fetch_success)\nFetch time: Wed Jul 09 15:14:02 CST 2014\nModified time: Thu Jan 01 08:00:00 CST 1970\n' +
        'Retries since fetch: 0\nRetry interval: 2592000 seconds (30 days)\nScore: 1.0\nSignature: null\n' +
        'Metadata: \n \t_ngt_=1404890010000\n\t_pst_=success(1), lastModified=0\n',
    )
  })
  it('parse: 65 with the signature', () => {
    const record: CrawlDatum = { ...injected, status: 'signature', fetchTimeMs: parseMs, fetchIntervalS: 0, score: 0, signature, metadata: {} }
    expect(printed(record)).to.match(/^Version: 7\nStatus: 65 \(signature\)\nFetch time: Wed Jul 09 15:14:30 CST 2014\n/)
    expect(printed(record)).to.include('Retry interval: 0 seconds (0 days)\nScore: 0.0\nSignature: 2c1eb8ec14d238c24c2e92ade12860a8\n')
  })
  it('parse: 67 with a hundredth of the score for a linked page', () => {
    const record: CrawlDatum = { ...injected, url: storedUrl('http://seed.example/about'), status: 'linked', score: link?.score ?? 0 }
    expect(printed(record)).to.include('Status: 67 (linked)\n').and.include('Score: 0.01\n')
  })
  it('updatedb: fetched, due after thirty days', () => {
    const parse = { status: 'signature', signature, metadata: {} } as const
    const datum = reduceUpdate(listed, { url: seedUrl, fetch: fetched, parse, links: [] }, rules)
    expect(printed(datum as DbDatum)).to.equal(
      'Version: 7\nStatus: 2 (db_fetched)\nFetch time: Fri Aug 08 15:14:02 CST 2014\nModified time: Wed Jul 09 15:14:02 CST 2014\n' +
        'Retries since fetch: 0\nRetry interval: 2592000 seconds (30 days)\nScore: 1.0\nSignature: 2c1eb8ec14d238c24c2e92ade12860a8\n' +
        'Metadata: \n \t_pst_=success(1), lastModified=0\n',
    )
  })
  it('updatedb: the linked page unfetched, due at the time of the update', () => {
    const links = link === undefined ? [] : [link]
    const datum = reduceUpdate(undefined, { url: storedUrl('http://seed.example/about'), links }, rules)
    expect(printed(datum as DbDatum)).to.equal(
      'Version: 7\nStatus: 1 (db_unfetched)\nFetch time: Wed Jul 09 15:15:00 CST 2014\nModified time: Thu Jan 01 08:00:00 CST 1970\n' +
        'Retries since fetch: 0\nRetry interval: 2592000 seconds (30 days)\nScore: 0.01\nSignature: null\nMetadata: \n ',
    )
  })
})

interface SegmentRecord {
  readonly segment: string
  readonly part: string
  readonly url: string
  readonly status: number
  readonly fetchTime: number
  readonly fetchInterval: number
  readonly score: number
  readonly modifiedTime: number
  readonly signature: string | null
  readonly metadata: Readonly<Record<string, string | number>>
}

function toDatum(record: SegmentRecord): CrawlDatum {
  const status = statusName(record.status)
  if (status === undefined) throw new Error(`status ${record.status}`)
  return {
    url: storedUrl(record.url),
    status,
    fetchTimeMs: record.fetchTime,
    modifiedTimeMs: record.modifiedTime,
    retries: 0,
    fetchIntervalS: record.fetchInterval,
    score: record.score,
    ...(record.signature === null ? {} : { signature: Buffer.from(record.signature, 'hex') }),
    metadata: Object.fromEntries(Object.entries(record.metadata).map(([key, value]) => [key, String(value)])),
  }
}

describeCorpus('the update of a segment that Nutch wrote', () => {
  const records = (readCorpus<SegmentRecord>('nutch/segment-records.json')?.cases ?? []).filter(({ segment }) => segment === '20150309101625')
  const part = (name: string, status: number): CrawlDatum[] => records.filter(one => one.part === name && one.status === status).map(toDatum)
  const updateMs = 1425921394859
  const rules = { schedule, scoring, db: config.db, nowMs: updateMs }

  it('makes the seed fetched', () => {
    const [listed] = part('crawl_generate', 1)
    const [fetch] = part('crawl_fetch', 33)
    const [parsed] = part('crawl_parse', 65)
    const links = part('crawl_parse', 67)
      .filter(({ url }) => url === listed?.url)
      .map(({ url, score, metadata }) => ({ from: url, score, metadata }))
    const updates = { url: (listed as DbDatum).url, fetch: fetch as CrawlDatum & { status: 'fetch_success' }, links }
    const parse = { status: 'signature', signature: parsed?.signature as Uint8Array, metadata: {} } as const
    expect(links).to.have.lengthOf.above(0)
    expect(reduceUpdate(listed as DbDatum, { ...updates, parse }, rules)).to.deep.equal({
      url: 'http://nutch.apache.org/',
      status: 'db_fetched',
      fetchTimeMs: 1425921389382 + 2_592_000_000,
      modifiedTimeMs: 1425921389382,
      retries: 0,
      fetchIntervalS: 2_592_000,
      score: Math.fround(1 + links.length * Math.fround(0.01)),
      signature: Buffer.from('5892041b0709fe5a4f106dee5576ec6c', 'hex'),
      metadata: { 'Content-Type': 'text/html', _pst_: 'success(1), lastModified=0', _rs_: '341' },
    })
  })

  /** Scores in Nutch's next fetch list of pages with so many links of 0.01f each. */
  for (const [count, score] of [
    [1, 0.009999999776482582],
    [2, 0.019999999552965164],
    [3, 0.029999999329447746],
    [4, 0.03999999910593033],
    [5, 0.04999999701976776],
  ] as const)
    it(`scores ${count} links ${score}, as Nutch's next list has it`, () => {
      const [link] = part('crawl_parse', 67)
      const url = storedUrl('http://linked.example/')
      const links = Array.from({ length: count }, () => ({ from: url, score: link?.score ?? 0, metadata: {} }))
      expect(reduceUpdate(undefined, { url, links }, rules)).to.include({ status: 'db_unfetched', fetchTimeMs: updateMs, score })
    })
})
