import { expect } from 'chai'
import type { PageUpdates } from '../../../lib/crawldb/rules/page-updates.js'
import { reduceUpdate } from '../../../lib/crawldb/rules/update-rule.js'
import type { DbDatum, FetchOutcome } from '../../../lib/record/records.js'
import type { FetchStatus } from '../../../lib/record/status.js'
import { dbDatum } from '../../support/db-datum.js'
import { fetchedDatum, fetchMs, links, outcome, rulesWith, segment, signatureA, url } from '../../support/update-case.js'

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
