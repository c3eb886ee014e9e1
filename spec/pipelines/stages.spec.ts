import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect } from 'chai'
import { configWith } from '../../lib/config/resolve-config.js'
import { Counters } from '../../lib/log/counters.js'
import { datumToLine } from '../../lib/record/datum-json.js'
import type { FetchedPage } from '../../lib/record/exchange.js'
import type { CrawlDatum } from '../../lib/record/records.js'
import { chain } from '../../lib/stream/chain.js'
import { mapRecords } from '../../lib/stream/stage.js'
import { filterUrls, normalizeUrls } from '../../lib/url/url-stages.js'
import { createUrlRules } from '../../pipelines/crawl-url-rules.js'
import { createFetcher } from '../../pipelines/fetcher.js'
import type { InjectReport } from '../../pipelines/inject.js'
import { withJobDb } from '../../pipelines/job.js'
import { readSeeds } from '../../pipelines/read-seeds.js'
import { fetchItems } from '../../pipelines/sources.js'
import { fetchPages, mergeRecords, type ParsedPage, parsePages, scoreRecords } from '../../pipelines/stages.js'
import { datumOf, exchangeOf, outcomeOf } from '../segment/segment-fixtures.js'
import { allRecords, specJob } from '../support/job-fixture.js'
import { type SpecServer, startServer } from '../support/server.js'
import { failureOf, gatedSink, settle } from '../support/stream-probe.js'
import { useTempFolders } from '../support/temp-folder.js'

const config = configWith({ 'urlfilter.regex.rules': '-no$\n+.' })
const rules = createUrlRules(config)
const urlOf = (index: number): string => `http://a.test/${index}`
const injected = (index: number): CrawlDatum => ({ ...datumOf(urlOf(index)), status: 'injected', score: 2 })
const page = (index: number): FetchedPage => ({ outcome: outcomeOf(urlOf(index)), exchanges: [exchangeOf(urlOf(index), `<title>${index}</title>`)] })

describe('exported stages', () => {
  const newFolder = useTempFolders()
  const { scoring } = specJob('.')

  /** Each stage, a record for it, and what it makes of that record. */
  interface Case {
    readonly make: () => Transform
    readonly give: (index: number) => unknown
    readonly shown: (result: unknown) => unknown
    readonly expected: (index: number) => unknown
    readonly ahead: number
  }
  const ofRecord = { give: injected, shown: (datum: unknown) => (datum as CrawlDatum).url as string, expected: urlOf, ahead: 40 } // it gives records
  const cases: Readonly<Record<string, Case>> = {
    normalizeUrls: {
      ...ofRecord,
      make: () => normalizeUrls(rules.normalizers, 'inject'),
      give: index => ({ ...injected(index), url: `HTTP://A.test:80/./${index}` }),
    },
    filterUrls: { ...ofRecord, make: () => filterUrls(rules.filters) },
    scoreRecords: { ...ofRecord, make: () => scoreRecords(scoring) },
    parsePages: {
      make: () => parsePages({ config, rules, scoring }),
      give: page,
      shown: result => (result as ParsedPage).parse?.title, // it gives parsed pages
      expected: String,
      ahead: 8,
    },
  }

  for (const [name, { make, give, shown, expected, ahead }] of Object.entries(cases))
    describe(name, () => {
      const some = (count: number): Readable => Readable.from(Array.from({ length: count }, (_, index) => give(index)))

      it('is a Transform of node:stream, and works with .pipe()', async () => {
        const stage = make()
        expect(stage).to.be.instanceOf(Transform)
        const results = await some(50).pipe(stage).toArray()
        expect(results.map(shown)).to.deep.equal(Array.from({ length: 50 }, (_, index) => expected(index)))
      })

      it('takes no more than a few records ahead of a sink that takes none', async () => {
        let given = 0
        const source = Readable.from(
          (function* () {
            for (let index = 0; index < 1000; index++) {
              given++
              yield give(index)
            }
          })(),
          { highWaterMark: 1 },
        )
        const { sink } = gatedSink()
        const stop = new AbortController()
        const done = failureOf(pipeline(source, make(), sink, { signal: stop.signal }))
        await settle()
        expect(given).to.be.within(1, ahead)
        const before = given
        await settle()
        expect(given).to.equal(before)
        stop.abort()
        expect(await done).to.have.property('name', 'AbortError')
        expect(source.destroyed).to.equal(true)
      })

      it('ends with the error of what stands before it', async () => {
        const stage = make()
        const broken = Readable.from(
          (async function* () {
            yield give(0)
            throw new Error('upstream')
          })(),
        )
        const results: unknown[] = []
        const failure = await failureOf(
          pipeline(broken, stage, async function collect(source: AsyncIterable<unknown>) {
            for await (const result of source) results.push(result)
          }),
        )
        expect(failure).to.have.property('message', 'upstream')
        expect(stage.destroyed).to.equal(true)
        expect(results.length).to.be.at.most(1)
      })
    })

  it('normalizeUrls and filterUrls count what they drop', async () => {
    const counters = new Counters()
    const urls = ['http://a.test/yes', 'HTTP://a.test/no', 'no url'].map(url => ({ url }))
    const kept = await Readable.from(urls)
      .pipe(normalizeUrls(rules.normalizers, 'inject', { counters }))
      .pipe(filterUrls(rules.filters, { counters }))
      .toArray()
    expect(kept).to.deep.equal([{ url: 'http://a.test/yes' }])
    expect(counters.toJSON()).to.deep.equal({
      'filter/accepted': 1,
      'filter/rejected': 1,
      'normalize/changed': 1,
      'normalize/malformed': 1,
      'normalize/unchanged': 1,
    })
  })

  it('scoreRecords gives seeds their score, and lets records of the CrawlDb pass', async () => {
    const record = { ...datumOf(urlOf(1)), score: 7 }
    const results = await Readable.from([injected(0), record])
      .pipe(scoreRecords(scoring))
      .toArray()
    expect(results.map(({ score }: CrawlDatum) => score)).to.deep.equal([2, 7])
    expect(results[1]).to.equal(record)
  })

  it('parsePages gives outcomes without a page as they are, and drops what a stop cut off', async () => {
    const gone = { outcome: outcomeOf(urlOf(0), { status: 'fetch_gone', protocolStatus: 'notfound' }), exchanges: [] }
    const cut = { outcome: outcomeOf(urlOf(1), { status: 'fetch_retry', causeClass: 'aborted' }), exchanges: [] }
    const results: ParsedPage[] = await Readable.from([gone, cut]).pipe(parsePages({ config, rules, scoring })).toArray()
    expect(results).to.deep.equal([{ outcome: gone.outcome, links: [] }])
  })

  describe('together', () => {
    let server: SpecServer
    before(async () => {
      const link = '<title>home</title><a href="/near">near</a><a href="/no">no</a>'
      server = await startServer({ routes: { '/robots.txt': { status: 404 }, '/': { body: link }, '/near': { body: '<title>near</title>' } } })
    })
    after(() => server.close())

    it('read seeds, normalize, filter, score and merge them', async () => {
      const job = specJob(newFolder())
      const reports: InjectReport[] = []
      await withJobDb(
        job,
        crawlDb =>
          pipeline(
            readSeeds(job)(Readable.from(['http://a.test/1\tnutch.score=3\nHTTP://A.test/2\n', 'http://a.test/no\n# none\nno url\n'])),
            ...chain(
              normalizeUrls<CrawlDatum>(rules.normalizers, 'inject'),
              filterUrls(rules.filters),
              scoreRecords(scoring),
              mergeRecords(crawlDb, job),
            ),
            async function collect(source: AsyncIterable<InjectReport>) {
              for await (const report of source) reports.push(report)
            },
          ),
        true,
      )
      expect([...(await allRecords(job)).values()].map(({ url, score }) => [url, score])).to.deep.equal([
        ['http://a.test/1', 3],
        ['http://a.test/2', 1],
      ])
      expect(reports[0]).to.include({ added: 2 })
    })

    it('fetch and parse, with a stage of one’s own between them', async () => {
      const job = specJob('.', { 'http.allow.address': 'loopback', 'fetcher.server.delay': 0, 'urlfilter.regex.rules': '-no$\n+.' })
      const { fetcher, client } = createFetcher(job, rules)
      const seen: string[] = []
      const results: ParsedPage[] = []
      const own = mapRecords((fetched: FetchedPage) => {
        seen.push(fetched.outcome.status)
        return fetched.outcome.status === 'fetch_success' ? fetched : undefined
      })
      try {
        await pipeline(
          fetchItems(job)(Readable.from([`${server.origin()}/\n${server.origin()}/missing\n`])),
          fetchPages({ fetcher, config: job.config.fetch, clock: job.pacingClock }),
          own,
          parsePages({ config: job.config, rules, scoring }),
          async function collect(source: AsyncIterable<ParsedPage>) {
            for await (const result of source) results.push(result)
          },
        )
      } finally {
        client.close()
      }
      expect(seen.sort()).to.deep.equal(['fetch_gone', 'fetch_success'])
      expect(results.map(({ parse, links }) => [parse?.title, links.map(({ to }) => to)])).to.deep.equal([['home', [`${server.origin()}/near`]]])
    })
  })

  it('give records that the line format holds', () => {
    expect(datumToLine(injected(1))).to.match(/^http:\/\/a\.test\/1\t\{"status":"injected",/)
  })
})
