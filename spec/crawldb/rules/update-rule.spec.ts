import { expect } from 'chai'
import { configWith } from '../../../lib/config/resolve-config.js'
import type { PageUpdates } from '../../../lib/crawldb/rules/page-updates.js'
import { reduceUpdate, type UpdateRules } from '../../../lib/crawldb/rules/update-rule.js'
import type { CrawlDatum, DbDatum, FetchOutcome } from '../../../lib/record/records.js'
import { type DbStatus, dbStatuses, type FetchStatus, type ProtocolStatusName } from '../../../lib/record/status.js'
import { storedUrl } from '../../../lib/record/url.js'
import { createSchedule } from '../../../lib/schedule/create-schedule.js'
import { createScoring } from '../../../lib/score/create-scoring.js'
import type { LinkContribution } from '../../../lib/score/scoring-filter.js'
import { dbDatum } from '../../support/db-datum.js'

const url = storedUrl('http://a.example/')
const dayMs = 86_400_000
const oldModifiedMs = Date.UTC(2025, 0, 1)
const fetchMs = Date.UTC(2026, 0, 10)
const nowMs = fetchMs + 3_600_000
const segment = '20260110000000'
const signatureA = new Uint8Array([0xaa, 1])
const signatureB = new Uint8Array([0xbb, 2])

function rulesWith(values: Readonly<Record<string, unknown>> = {}): UpdateRules {
  const config = configWith(values)
  return { schedule: createSchedule(config.schedule), scoring: createScoring(config.score), db: config.db, nowMs }
}

const protocolStatusOf: Readonly<Record<FetchStatus, ProtocolStatusName>> = {
  fetch_success: 'success',
  fetch_retry: 'exception',
  fetch_redir_temp: 'temp_moved',
  fetch_redir_perm: 'moved',
  fetch_gone: 'notfound',
  fetch_notmodified: 'notmodified',
}

function outcome(status: FetchStatus, parts: Partial<FetchOutcome> = {}): FetchOutcome {
  return {
    url,
    status,
    protocolStatus: protocolStatusOf[status],
    datum: dbDatum({ modifiedTimeMs: oldModifiedMs, metadata: { seed: 's' } }),
    timing: { startMs: fetchMs - 500, endMs: fetchMs },
    metadata: { _rs_: '36' },
    ...parts,
  }
}

/** The same fetch as Nutch's crawl_fetch would hold it. */
function fetchedDatum(status: FetchStatus, parts: Partial<CrawlDatum> = {}): CrawlDatum & { readonly status: FetchStatus } {
  return { ...dbDatum({ fetchTimeMs: fetchMs, modifiedTimeMs: oldModifiedMs, metadata: { seed: 's', _rs_: '36' } }), ...parts, status }
}

const links: readonly LinkContribution[] = [
  { from: storedUrl('http://b.example/'), score: 0.25, metadata: { k: 'b' } },
  { from: storedUrl('http://c.example/'), score: 0.5, metadata: { k: 'c' } },
]

type Old = 'none' | 'equal' | 'other' | 'missing'
const oldSignature: Readonly<Record<Exclude<Old, 'none'>, Uint8Array | undefined>> = { equal: signatureA, other: signatureB, missing: undefined }

function oldDatum(old: Old, status: DbStatus = 'db_fetched'): DbDatum | undefined {
  if (old === 'none') return undefined
  const signature = oldSignature[old]
  return dbDatum({
    status,
    modifiedTimeMs: oldModifiedMs,
    fetchTimeMs: fetchMs,
    score: 2,
    metadata: { seed: 's', note: 'n' },
    ...(signature && { signature }),
  })
}

/** One cell of the table: status, days to the next fetch, interval in days, modification time, signature, retries. */
interface Cell {
  readonly status: DbStatus
  readonly dueDays: number
  readonly intervalDays: number
  readonly modified: 'fetch' | 'old' | 'none'
  readonly signature: 'new' | 'old' | 'none'
  readonly retries?: number
}
const kept = { dueDays: 30, intervalDays: 30 } as const
const gone = { dueDays: 45, intervalDays: 45 } as const
const everyOld = <T>(cell: T): Record<Exclude<Old, 'none'>, T> => ({ equal: cell, other: cell, missing: cell })

const table: Readonly<Record<FetchStatus, Readonly<Record<Old, Cell>>>> = {
  fetch_success: {
    none: { status: 'db_fetched', ...kept, modified: 'old', signature: 'new' },
    equal: { status: 'db_notmodified', ...kept, modified: 'old', signature: 'old' },
    other: { status: 'db_fetched', ...kept, modified: 'fetch', signature: 'new' },
    missing: { status: 'db_fetched', ...kept, modified: 'old', signature: 'new' },
  },
  fetch_notmodified: {
    none: { status: 'db_notmodified', ...kept, modified: 'none', signature: 'none' },
    ...everyOld({ status: 'db_notmodified', ...kept, modified: 'old', signature: 'old' } as const),
  },
  fetch_redir_temp: {
    none: { status: 'db_redir_temp', ...kept, modified: 'old', signature: 'none' },
    ...everyOld({ status: 'db_redir_temp', ...kept, modified: 'old', signature: 'none' } as const),
  },
  fetch_redir_perm: {
    none: { status: 'db_redir_perm', ...kept, modified: 'old', signature: 'none' },
    ...everyOld({ status: 'db_redir_perm', ...kept, modified: 'old', signature: 'none' } as const),
  },
  fetch_retry: {
    none: { status: 'db_unfetched', dueDays: 1, intervalDays: 30, modified: 'old', signature: 'none', retries: 1 },
    ...everyOld({ status: 'db_unfetched', dueDays: 1, intervalDays: 30, modified: 'old', signature: 'old', retries: 1 } as const),
  },
  fetch_gone: {
    none: { status: 'db_gone', ...gone, modified: 'old', signature: 'none' },
    ...everyOld({ status: 'db_gone', ...gone, modified: 'old', signature: 'old' } as const),
  },
}

function checkCell(result: DbDatum | undefined, cell: Cell, old: Old, hasLinks: boolean): void {
  expect(result?.status).to.equal(cell.status)
  expect((Number(result?.fetchTimeMs) - fetchMs) / dayMs).to.equal(cell.dueDays)
  expect(Number(result?.fetchIntervalS) / 86_400).to.equal(cell.intervalDays)
  expect(result?.modifiedTimeMs).to.equal({ fetch: fetchMs, old: oldModifiedMs, none: 0 }[cell.modified])
  const kept = old === 'none' ? undefined : oldSignature[old]
  expect(result?.signature).to.deep.equal({ new: signatureA, old: kept, none: undefined }[cell.signature])
  expect(result?.retries).to.equal(cell.retries ?? 0)
  expect(result?.score).to.equal((old === 'none' ? 1 : 2) + (hasLinks ? 0.75 : 0))
  expect(result?.metadata).to.include({ seed: 's', _rs_: '36', ...(old === 'none' ? {} : { note: 'n' }) })
}

const statuses = Object.keys(table) as FetchStatus[]
const olds: readonly Old[] = ['none', 'equal', 'other', 'missing']

describe('the state table of the CrawlDb', () => {
  const rules = rulesWith()
  for (const status of statuses)
    for (const old of olds)
      for (const hasLinks of [false, true])
        it(`${status}, ${old === 'none' ? 'no old record' : `${old} signature`}, ${hasLinks ? 'with' : 'without'} links: ${table[status][old].status}`, () => {
          const parse = status === 'fetch_success' ? { parse: { status: 'signature', signature: signatureA, metadata: {} } as const } : {}
          const forms: PageUpdates[] = [
            { url, fetch: outcome(status), segment, links: hasLinks ? links : [], ...parse },
            { url, fetch: fetchedDatum(status), links: hasLinks ? links : [], ...parse },
          ]
          const dbStatusesToTry = old === 'none' ? [undefined] : dbStatuses
          for (const updates of forms)
            for (const dbStatus of dbStatusesToTry)
              checkCell(reduceUpdate(oldDatum(old, dbStatus), updates, rules), table[status][old], old, hasLinks)
        })

  for (const old of olds)
    for (const hasLinks of [false, true])
      it(`parse_failed, ${old === 'none' ? 'no old record' : `${old} signature`}, ${hasLinks ? 'with' : 'without'} links: db_parse_failed`, () => {
        const parse = { status: 'parse_failed', metadata: {} } as const
        const cell: Cell = { status: 'db_parse_failed', ...gone, modified: 'old', signature: old === 'none' ? 'none' : 'old' }
        const updates = { url, fetch: outcome('fetch_success'), parse, links: hasLinks ? links : [] }
        checkCell(reduceUpdate(oldDatum(old), updates, rules), cell, old, hasLinks)
      })

  it('parse_failed counts as a fetch where the fetch is not there', () => {
    const parse = { status: 'parse_failed', metadata: {} } as const
    expect(reduceUpdate(undefined, { url, parse, links: [] }, rules)).to.include({ status: 'db_parse_failed', fetchTimeMs: nowMs + 45 * dayMs })
    expect(reduceUpdate(oldDatum('equal'), { url, parse, links: [] }, rules)).to.include({ status: 'db_parse_failed', score: 2 })
  })

  for (const status of ['fetch_gone', 'fetch_redir_temp', 'fetch_notmodified'] as const)
    it(`a parse that fails does not change what ${status} means`, () => {
      const parse = { status: 'parse_failed', metadata: {} } as const
      expect(reduceUpdate(undefined, { url, fetch: outcome(status), parse, links: [] }, rules)?.status).to.equal(table[status].none.status)
    })

  describe('links only', () => {
    it('make a new record: unfetched, due at the time of the update, metadata of the best link, score of all', () => {
      expect(reduceUpdate(undefined, { url, links }, rules)).to.deep.equal(
        dbDatum({ fetchTimeMs: nowMs, fetchIntervalS: 2_592_000, score: 0.75, metadata: { k: 'c' } }),
      )
    })
    for (const status of dbStatuses)
      it(`leave a record ${status} as it is, but for its score`, () => {
        const old = oldDatum('equal', status) as DbDatum
        expect(reduceUpdate(old, { url, links }, rules)).to.deep.equal({ ...old, score: 2.75 })
      })
    it('make no record where additions are not allowed, and still score one that is there', () => {
      const closed = rulesWith({ 'db.update.additions.allowed': false })
      expect(reduceUpdate(undefined, { url, links }, closed)).to.equal(undefined)
      expect(reduceUpdate(undefined, { url, fetch: outcome('fetch_success'), links }, closed)).to.equal(undefined)
      expect(reduceUpdate(oldDatum('equal'), { url, links }, closed)?.score).to.equal(2.75)
    })
    it('count the best where there are too many', () => {
      expect(reduceUpdate(undefined, { url, links }, rulesWith({ 'db.update.max.inlinks': 1 }))?.score).to.equal(0.5)
    })
    it('give a redirect target the interval of its source, and none of what was true of the source only', () => {
      const metadata = { k: 'v', _ngt_: '5', 'nutch.segment.name': segment, _pst_: 'moved(12), lastModified=0', ETag: '"x"', _rs_: '1' }
      const target = reduceUpdate(undefined, { url, links: [{ from: url, score: 0, metadata, fetchIntervalS: 1800 }] }, rules)
      expect(target).to.deep.include({ fetchIntervalS: 1800, fetchTimeMs: nowMs, metadata: { k: 'v' } })
    })
  })

  describe('nothing, or a signature alone', () => {
    const parse = { status: 'signature', signature: signatureA, metadata: {} } as const
    it('writes no new record', () => {
      expect(reduceUpdate(undefined, { url, links: [] }, rules)).to.equal(undefined)
      expect(reduceUpdate(undefined, { url, parse, links: [] }, rules)).to.equal(undefined)
    })
    it('gives the very record that was there', () => {
      const old = oldDatum('equal')
      expect(reduceUpdate(old, { url, links: [] }, rules)).to.equal(old)
      expect(reduceUpdate(old, { url, parse, links: [] }, rules)).to.equal(old)
    })
    it('marks an orphan where the scoring chain does', () => {
      const old = dbDatum({ status: 'db_fetched', metadata: { _orphan_: '1' } })
      expect(reduceUpdate(old, { url, links: [] }, rulesWith({ 'scoring.filter.order': 'opic,orphan' }))?.status).to.equal('db_orphan')
    })
  })

  describe('retries', () => {
    for (const { retries, max, status, why } of [
      { retries: 0, max: 3, status: 'db_unfetched', why: 'first failure' },
      { retries: 1, max: 3, status: 'db_unfetched', why: 'second' },
      { retries: 2, max: 3, status: 'db_gone', why: 'the third in a row' },
      { retries: 3, max: 3, status: 'db_gone', why: 'gone before' },
      { retries: 0, max: 1, status: 'db_gone', why: 'no second chance' },
    ] as const)
      it(`${retries} of ${max} make ${status} (${why})`, () => {
        const updates = { url, fetch: outcome('fetch_retry', { datum: dbDatum({ retries }) }), links: [] }
        const result = reduceUpdate(dbDatum({ retries }), updates, rulesWith({ 'db.fetch.retry.max': max }))
        expect(result).to.include({ status, retries: retries + 1 })
        expect(result?.fetchTimeMs).to.equal(fetchMs + (status === 'db_gone' ? 45 : 1) * dayMs)
      })
    it('of a fetched record of Nutch are its own', () => {
      expect(reduceUpdate(dbDatum(), { url, fetch: fetchedDatum('fetch_retry', { retries: 2 }), links: [] }, rules)?.status).to.equal('db_gone')
    })
    it('stay gone for 150 failures in a row, the counter within its byte (NUTCH-578)', () => {
      let datum = dbDatum()
      for (let failure = 1; failure <= 300; failure++) {
        datum = reduceUpdate(datum, { url, fetch: outcome('fetch_retry', { datum }), links: [] }, rules) as DbDatum
        expect(datum.status).to.equal(failure < 3 ? 'db_unfetched' : 'db_gone')
        expect(datum.retries).to.equal(Math.min(255, failure))
      }
    })
  })

  describe('an interval beyond the maximum', () => {
    for (const status of ['fetch_success', 'fetch_notmodified', 'fetch_redir_temp', 'fetch_redir_perm'] as const)
      it(`forces a full fetch after ${status}`, () => {
        const old = dbDatum({ status: 'db_fetched', fetchIntervalS: 7_776_001, signature: signatureA, modifiedTimeMs: 5 })
        const parse = { status: 'signature', signature: signatureA, metadata: {} } as const
        const result = reduceUpdate(old, { url, fetch: outcome(status), parse, links: [] }, rules)
        expect(result).to.include({ status: 'db_unfetched', fetchIntervalS: 6_998_400, retries: 0, modifiedTimeMs: 0 })
        expect(result).not.to.have.property('signature')
        expect(Number(result?.fetchTimeMs)).to.be.within(fetchMs + 89 * dayMs, fetchMs + 90 * dayMs)
      })
    it('leaves fetch_gone gone, even with a default of more than 1.5 times the maximum (NUTCH-1245)', () => {
      const misconfigured = rulesWith({ 'db.fetch.interval.default': 7_776_000 * 1.5 + 3 })
      const first = reduceUpdate(undefined, { url, links }, misconfigured) as DbDatum
      expect(reduceUpdate(first, { url, fetch: outcome('fetch_gone', { datum: first }), links: [] }, misconfigured)).to.include({
        status: 'db_gone',
        fetchIntervalS: 6_998_400,
      })
    })
  })
})

describe('what an update does to metadata', () => {
  const rules = rulesWith()
  const metadataAfter = (status: FetchStatus, parts: Partial<FetchOutcome>, old: Record<string, string>, updates: Partial<PageUpdates> = {}) =>
    reduceUpdate(dbDatum({ metadata: old }), { url, fetch: outcome(status, { metadata: {}, ...parts }), links: [], ...updates }, rules)?.metadata

  for (const { status, parts, expected } of [
    { status: 'fetch_success', parts: {}, expected: 'success(1), lastModified=0' },
    { status: 'fetch_success', parts: { modifiedTimeMs: 1533810318000 }, expected: 'success(1), lastModified=1533810318000' },
    {
      status: 'fetch_redir_perm',
      parts: { redirect: { to: 'https://en.wikipedia.org/wiki/URL_redirection', kind: 'perm', via: 'location' } },
      expected: 'moved(12), lastModified=0: https://en.wikipedia.org/wiki/URL_redirection',
    },
    { status: 'fetch_gone', parts: { protocolStatus: 'robots_denied', cause: 'robots.txt line 3' }, expected: 'robots_denied(18), lastModified=0' },
    { status: 'fetch_gone', parts: { cause: '404' }, expected: 'notfound(14), lastModified=0: http://a.example/' },
    { status: 'fetch_retry', parts: { cause: 'timed out' }, expected: 'exception(16), lastModified=0: timed out' },
    { status: 'fetch_success', parts: { metadata: { _pst_: 'mine' } }, expected: 'mine' },
  ] as { status: FetchStatus; parts: Partial<FetchOutcome>; expected: string }[])
    it(`notes the protocol status ${expected}`, () => expect(metadataAfter(status, parts, {})?._pst_).to.equal(expected))

  it('lays the fetch over the old', () => {
    expect(metadataAfter('fetch_success', { metadata: { a: '2', b: '3' } }, { a: '1', z: '0' })).to.include({ a: '2', b: '3', z: '0' })
  })
  it('drops the cause of an earlier failure, and validators of content that is no more', () => {
    const old = { _cause_: 'timeout', ETag: '"1"', 'Last-Modified': 'x' }
    expect(metadataAfter('fetch_success', {}, old)).to.have.all.keys('_pst_')
    expect(metadataAfter('fetch_notmodified', {}, old)).to.have.all.keys('_pst_', 'ETag', 'Last-Modified')
    expect(metadataAfter('fetch_retry', { metadata: { _cause_: 'dns' } }, old)).to.include({ ETag: '"1"', _cause_: 'dns' })
  })
  it('takes what db.parsemeta.to.crawldb names from the parse, for answers only', () => {
    const named = rulesWith({ 'db.parsemeta.to.crawldb': 'lang,toString,missing' })
    const parse = { status: 'signature', signature: signatureA, metadata: { lang: 'de', other: 'x' } } as const
    const metadataOf = (status: FetchStatus) => reduceUpdate(undefined, { url, fetch: outcome(status), parse, links: [] }, named)?.metadata
    expect(metadataOf('fetch_success')).to.include({ lang: 'de' }).and.not.have.any.keys('other', 'missing', 'toString')
    expect(metadataOf('fetch_gone')).not.to.have.property('lang')
  })
  it('keeps what an operator changed while the fetch was under way', () => {
    const fetch = outcome('fetch_success', { datum: dbDatum({ fetchIntervalS: 100, metadata: { group: 'old' } }) })
    const result = reduceUpdate(dbDatum({ fetchIntervalS: 7, metadata: { group: 'new' } }), { url, fetch, links: [] }, rules)
    expect(result).to.include({ fetchIntervalS: 7, fetchTimeMs: fetchMs + 7000 })
    expect(result?.metadata.group).to.equal('new')
  })
})

describe('a lock', () => {
  const rules = rulesWith()
  const lock = { _ngt_: '99', 'nutch.segment.name': segment }
  const locked = dbDatum({ metadata: { k: 'v', ...lock } })
  const isLocked = (datum: DbDatum | undefined): boolean => datum?.metadata._ngt_ === '99' && datum.metadata['nutch.segment.name'] === segment

  for (const { what, updates, stays } of [
    { what: 'an outcome of its segment', updates: { fetch: outcome('fetch_success'), segment }, stays: false },
    { what: 'a failure of its segment', updates: { fetch: outcome('fetch_retry'), segment }, stays: false },
    { what: 'an outcome of another segment', updates: { fetch: outcome('fetch_success'), segment: '20250101000000' }, stays: true },
    { what: 'an outcome whose list entry names the segment', updates: { fetch: outcome('fetch_gone', { datum: locked }) }, stays: false },
    {
      what: 'a fetched record of another segment',
      updates: { fetch: fetchedDatum('fetch_success', { metadata: { _ngt_: '1', 'nutch.segment.name': 'x' } }) },
      stays: true,
    },
    { what: 'links', updates: { links }, stays: true },
    { what: 'nothing', updates: {}, stays: true },
  ] as { what: string; updates: Partial<PageUpdates>; stays: boolean }[])
    it(`${stays ? 'stays after' : 'is taken away by'} ${what}`, () => {
      const result = reduceUpdate(locked, { url, links: [], ...updates }, rules)
      expect(isLocked(result)).to.equal(stays)
      if (!stays) expect(result?.metadata).not.to.have.any.keys('_ngt_', 'nutch.segment.name')
    })

  it('without a segment, as Nutch writes it, is taken away by any outcome', () => {
    const result = reduceUpdate(dbDatum({ metadata: { _ngt_: '99' } }), { url, fetch: outcome('fetch_success'), segment, links: [] }, rules)
    expect(result?.metadata).not.to.have.property('_ngt_')
  })
  it('never comes from a fetch', () => {
    const fetch = fetchedDatum('fetch_success', { metadata: { _ngt_: '1' } })
    expect(reduceUpdate(undefined, { url, fetch, links: [] }, rules)?.metadata).not.to.have.property('_ngt_')
  })
})

describe('purging', () => {
  for (const { status, values, purged } of [
    { status: 'db_gone', values: { 'db.update.purge.404': true }, purged: true },
    { status: 'db_gone', values: {}, purged: false },
    { status: 'db_orphan', values: { 'db.update.purge.404': true }, purged: false },
    { status: 'db_orphan', values: { 'db.update.purge.orphans': true }, purged: true },
    { status: 'db_fetched', values: { 'db.update.purge.404': true, 'db.update.purge.orphans': true }, purged: false },
  ] as const)
    it(`${purged ? 'deletes' : 'keeps'} ${status} under ${JSON.stringify(values)}`, () => {
      const result = reduceUpdate(dbDatum({ status, metadata: { note: 'n' } }), { url, links: [] }, rulesWith(values))
      expect(result === undefined).to.equal(purged)
    })
  it('lets links find the URL anew', () => {
    const old = dbDatum({ status: 'db_gone', metadata: { note: 'n' } })
    expect(reduceUpdate(old, { url, links }, rulesWith({ 'db.update.purge.404': true }))).to.deep.include({
      status: 'db_unfetched',
      metadata: { k: 'c' },
    })
  })
})
