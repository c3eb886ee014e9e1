import { expect } from 'chai'
import type { PageUpdates } from '../../../lib/crawldb/rules/page-updates.js'
import { reduceUpdate } from '../../../lib/crawldb/rules/update-rule.js'
import type { DbDatum } from '../../../lib/record/records.js'
import { type DbStatus, dbStatuses, type FetchStatus } from '../../../lib/record/status.js'
import { dbDatum } from '../../support/db-datum.js'
import {
  dayMs,
  fetchedDatum,
  fetchMs,
  links,
  nowMs,
  oldModifiedMs,
  outcome,
  rulesWith,
  segment,
  signatureA,
  signatureB,
  url,
} from '../../support/update-case.js'

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
