import { expect } from 'chai'
import { configWith } from '../../../lib/config/resolve-config.js'
import { type InjectRules, injectedDatum, reduceInject } from '../../../lib/crawldb/rules/inject-rule.js'
import type { CrawlDatum, DbDatum } from '../../../lib/record/records.js'
import { parseSeedLine, type Seed } from '../../../lib/record/seed-line.js'
import { dbStatuses } from '../../../lib/record/status.js'
import { storedUrl } from '../../../lib/record/url.js'
import { createSchedule } from '../../../lib/schedule/create-schedule.js'
import { createScoring } from '../../../lib/score/create-scoring.js'
import { describeCorpus, readCorpus } from '../../support/corpus.js'
import { dbDatum } from '../../support/db-datum.js'

const nowMs = Date.UTC(2026, 0, 1)
const url = storedUrl('http://a.example/')

function rulesWith(parts: Partial<InjectRules> = {}, values: Readonly<Record<string, unknown>> = {}): InjectRules {
  const config = configWith(values)
  const schedule = createSchedule(config.schedule)
  return { schedule, scoring: createScoring(config.score), db: config.db, overwrites: false, updates: false, nowMs, ...parts }
}
function injected(seed: Partial<Seed>, rules = rulesWith()): CrawlDatum {
  return injectedDatum(url, { metadata: {}, ...seed }, rules)
}

const old: DbDatum = dbDatum({
  status: 'db_fetched',
  fetchTimeMs: 777,
  modifiedTimeMs: 5,
  retries: 1,
  fetchIntervalS: 60,
  score: 3,
  signature: new Uint8Array([1]),
  metadata: { a: 'old', b: 'old', _ngt_: '7', 'nutch.segment.name': 's' },
})

describe('a seed', () => {
  it('becomes an injected record: due now, with the defaults', () => {
    expect(injected({})).to.deep.equal({ ...dbDatum({ fetchTimeMs: nowMs }), status: 'injected' })
  })
  it('brings its own score, interval and metadata', () => {
    expect(injected({ score: 10, fetchIntervalS: 7, metadata: { k: 'v' } })).to.deep.include({ score: 10, fetchIntervalS: 7, metadata: { k: 'v' } })
  })
  it('takes the defaults of the configuration', () => {
    const rules = rulesWith({}, { 'db.score.injected': 0.5, 'db.fetch.interval.default': 99 })
    expect(injected({}, rules)).to.include({ score: 0.5, fetchIntervalS: 99 })
  })
})

describe('the inject rule', () => {
  it('makes a new URL db_unfetched', () => {
    expect(reduceInject(undefined, [injected({ metadata: { k: 'v' } })], rulesWith())).to.deep.equal(
      dbDatum({ fetchTimeMs: nowMs, metadata: { k: 'v' } }),
    )
  })
  it('lets the last of several seeds count', () => {
    expect(reduceInject(undefined, [injected({ score: 2 }), injected({ score: 3 })], rulesWith())?.score).to.equal(3)
  })
  it('runs the scoring chain', () => {
    expect(reduceInject(undefined, [injected({})], rulesWith({}, { 'scoring.filter.order': 'opic,depth' }))?.metadata).to.deep.equal({ _depth_: '1' })
  })
  it('never takes a lock from a record that is piped in', () => {
    const piped = { ...injected({}), metadata: { _ngt_: '1', 'nutch.segment.name': 's', k: 'v' } }
    expect(reduceInject(undefined, [piped], rulesWith())?.metadata).to.deep.equal({ k: 'v' })
  })
  for (const interval of [0, -1, Number.NaN, 1e300])
    it(`takes the default for an interval of ${interval} s`, () => {
      expect(reduceInject(undefined, [{ ...injected({}), fetchIntervalS: interval }], rulesWith())?.fetchIntervalS).to.equal(2_592_000)
    })

  for (const status of dbStatuses)
    it(`leaves a record ${status} untouched`, () => {
      const record = dbDatum({ status })
      expect(reduceInject(record, [injected({ score: 9, metadata: { k: 'v' } })], rulesWith())).to.equal(record)
    })
  it('gives what was there where no seed names it', () => expect(reduceInject(old, [], rulesWith({ overwrites: true }))).to.equal(old))

  for (const updates of [false, true])
    it(`replaces a record entirely with overwrite${updates ? ', also where update is given' : ''}; its lock stays`, () => {
      expect(reduceInject(old, [injected({ metadata: { a: 'new' } })], rulesWith({ overwrites: true, updates }))).to.deep.equal(
        dbDatum({ fetchTimeMs: nowMs, metadata: { a: 'new', _ngt_: '7', 'nutch.segment.name': 's' } }),
      )
    })

  for (const { seed, expected, why } of [
    { seed: {}, expected: { score: 3, fetchIntervalS: 60 }, why: 'defaults do not count' },
    { seed: { score: 1, fetchIntervalS: 2_592_000 }, expected: { score: 3, fetchIntervalS: 60 }, why: 'nor do values equal to them' },
    { seed: { score: 4 }, expected: { score: 4, fetchIntervalS: 60 }, why: 'score' },
    { seed: { fetchIntervalS: 5 }, expected: { score: 3, fetchIntervalS: 5 }, why: 'interval' },
  ])
    it(`overlays with update (${why}); status and times stay`, () => {
      const result = reduceInject(old, [injected({ ...seed, metadata: { a: 'new', c: 'new' } })], rulesWith({ updates: true }))
      expect(result).to.deep.equal({ ...old, ...expected, metadata: { ...old.metadata, a: 'new', c: 'new' } })
    })

  it('purges gone pages, so that a seed starts anew, where the option says so', () => {
    const gone = dbDatum({ status: 'db_gone', metadata: { a: 'old' } })
    const rules = rulesWith({}, { 'db.update.purge.404': true })
    expect(reduceInject(gone, [], rules)).to.equal(undefined)
    expect(reduceInject(gone, [injected({})], rules)).to.deep.equal(dbDatum({ fetchTimeMs: nowMs }))
  })

  describeCorpus('on the facts of TestInjector', () => {
    const fact = readCorpus<{ id: string; op: string }>('nutch/crawldb-ops.json')?.cases.find(({ op }) => op === 'inject')
    it(fact?.id ?? 'has its case', () => {
      expect(fact).not.to.equal(undefined)
      const rules = rulesWith({ updates: true })
      const db = new Map<string, DbDatum>()
      const inject = (line: string): void => {
        const seed = parseSeedLine(line)
        if (seed.kind !== 'seed') throw new Error(line)
        const name = storedUrl(seed.urlText)
        db.set(name, reduceInject(db.get(name), [injectedDatum(name, seed.seed, rules)], rules) as DbDatum)
      }
      for (let n = 0; n < 100; n++) inject(`http://zzz.com/${n}.html\tnutch.score=2.${n}\tnutch.fetchInterval=171717\tkey=value for ${n}`)
      for (let n = 0; n < 100; n++) for (const host of ['xxx', 'zzz']) inject(`http://${host}.com/${n}.html`)
      expect(db.size).to.equal(200)
      for (let n = 0; n < 100; n++) {
        const datum = db.get(`http://zzz.com/${n}.html`)
        expect(datum).to.deep.include({ fetchIntervalS: 171_717, metadata: { key: `value for ${n}` }, score: Math.fround(Number(`2.${n}`)) })
      }
    })
  })
})
