import { expect } from 'chai'
import type { PageUpdates } from '../../../lib/crawldb/rules/page-updates.js'
import { reduceUpdate, type UpdateRules } from '../../../lib/crawldb/rules/update-rule.js'
import type { CrawlDatum, DbDatum } from '../../../lib/record/records.js'
import type { FetchStatus } from '../../../lib/record/status.js'
import { dbDatum } from '../../support/db-datum.js'
import { rulesWith, signatureA, signatureB, url } from '../../support/update-case.js'

const dayMs = 86_400_000
const startMs = Date.UTC(2000, 0, 1)

/** What a fetch at `nowMs` of the record brings. */
type Fetch = (datum: DbDatum, nowMs: number) => { readonly status: FetchStatus; readonly signature?: Uint8Array }
type Check = (after: DbDatum, before: DbDatum, fetchMs: number) => void

/** Looks every `stepMs` for so many years whether the page is due, fetches and updates it, and checks what comes of it: the long crawls of
 *  Nutch's TestCrawlDbStates. Gives the number of fetches. */
function crawlFor(years: number, stepMs: number, rules: UpdateRules, fetch: Fetch, check: Check): number {
  let datum = rules.schedule.initialize(dbDatum({ url }), startMs)
  let fetches = 0
  for (let nowMs = startMs; nowMs < startMs + years * 365 * dayMs; nowMs += stepMs) {
    if (!rules.schedule.shouldFetch(datum, nowMs)) continue
    const { status, signature } = fetch(datum, nowMs)
    const fetched: CrawlDatum & { readonly status: FetchStatus } = { ...rules.schedule.asDue(datum, nowMs), status, fetchTimeMs: nowMs }
    const { signature: _, ...withoutOld } = fetched
    const parse: Partial<PageUpdates> = signature === undefined ? {} : { parse: { status: 'signature', signature, metadata: {} } }
    const after = reduceUpdate(datum, { url, fetch: withoutOld, links: [], ...parse }, { ...rules, nowMs }) as DbDatum
    check(after, datum, nowMs)
    datum = after
    fetches++
  }
  return fetches
}

/** db_unfetched is what the adaptive schedule leaves when its interval outgrows the maximum: a full fetch is forced. */
function isForced(datum: DbDatum): boolean {
  return datum.status === 'db_unfetched' && datum.signature === undefined && datum.modifiedTimeMs === 0
}

describe('a crawl over years', () => {
  for (const schedule of ['default', 'adaptive']) {
    const rules = rulesWith({ 'db.fetch.schedule.class': schedule })

    it(`knows an unmodified page by its signature, and keeps the time of its last change (${schedule})`, () => {
      const changesMs = startMs + 10 * 365 * dayMs
      let changedMs = 0
      const fetches = crawlFor(
        20,
        dayMs,
        rules,
        (_, nowMs) => ({ status: 'fetch_success', signature: nowMs < changesMs ? signatureA : signatureB }),
        (after, before, fetchMs) => {
          if (isForced(after)) return
          if (
            before.signature === undefined ||
            (fetchMs >= changesMs && before.fetchTimeMs < changesMs + 90 * dayMs && after.status === 'db_fetched')
          )
            changedMs = fetchMs
          const isSame = before.signature !== undefined && before.signature === after.signature
          expect(after.status).to.equal(isSame ? 'db_notmodified' : 'db_fetched')
          expect(after.modifiedTimeMs).to.equal(changedMs)
        },
      )
      expect(fetches).to.be.above(60)
    })

    it(`believes a 304, and looks again within the longest interval (${schedule})`, () => {
      let fullFetchMs = 0
      crawlFor(
        20,
        dayMs,
        rules,
        (datum, nowMs) => {
          const isFull = datum.signature === undefined && datum.modifiedTimeMs === 0
          if (isFull) fullFetchMs = nowMs
          return isFull ? { status: 'fetch_success', signature: signatureA } : { status: 'fetch_notmodified' }
        },
        (after, before, fetchMs) => {
          if (isForced(after)) return
          expect(after.status).to.equal(fetchMs === fullFetchMs ? 'db_fetched' : 'db_notmodified')
          expect(after.modifiedTimeMs).to.equal(fullFetchMs)
          expect(after.fetchTimeMs - fetchMs).to.be.at.most(90 * dayMs)
          expect(before.status === 'db_unfetched').to.equal(fetchMs === fullFetchMs)
        },
      )
      expect(fullFetchMs).to.be.at.least(startMs)
    })

    it(`is never not modified by what has no content (${schedule})`, () => {
      const ends = ['fetch_gone', 'fetch_redir_temp', 'fetch_redir_perm'] as const
      const becomes = { fetch_gone: 'db_gone', fetch_redir_temp: 'db_redir_temp', fetch_redir_perm: 'db_redir_perm' } as const
      let step = 0
      let last: FetchStatus = 'fetch_success'
      crawlFor(
        20,
        dayMs,
        rules,
        () => {
          last = step++ % 2 === 0 ? 'fetch_success' : (ends[(step >> 1) % 3] as FetchStatus)
          return last === 'fetch_success' ? { status: last, signature: signatureA } : { status: last }
        },
        (after, before) => {
          if (isForced(after)) return
          if (last !== 'fetch_success') expect(after.status).to.equal(becomes[last as keyof typeof becomes])
          else expect(after.status).to.equal(before.signature === undefined ? 'db_fetched' : 'db_notmodified')
        },
      )
      expect(step).to.be.above(50)
    })

    it(`stays gone as long as it is gone (NUTCH-1245, ${schedule})`, () => {
      const fetches = crawlFor(
        20,
        dayMs,
        rules,
        () => ({ status: 'fetch_gone' }),
        (after, _, fetchMs) => {
          expect(after.status).to.equal('db_gone')
          expect(after.fetchTimeMs - fetchMs).to.be.within(45 * dayMs, 81 * dayMs)
        },
      )
      expect(fetches).to.be.within(20 * 4, 20 * 6)
    })
  }

  it('keeps the next fetch of an unmodified page within the bounds of the adaptive schedule (NUTCH-1564)', () => {
    const rules = rulesWith({
      'db.fetch.schedule.class': 'adaptive',
      'db.fetch.interval.default': 172_800,
      'db.fetch.schedule.adaptive.min_interval': 86_400,
      'db.fetch.schedule.adaptive.max_interval': 604_800,
      'db.fetch.interval.max': 604_800,
    })
    const changesMs = startMs + 2 * 365 * dayMs
    const signatureAt = (nowMs: number): Uint8Array => (nowMs < changesMs ? Buffer.from([Math.floor(nowMs / dayMs) & 255]) : signatureA)
    const fetches = crawlFor(
      6,
      dayMs / 3,
      rules,
      (_, nowMs) => ({ status: 'fetch_success', signature: signatureAt(nowMs) }),
      (after, _, fetchMs) => expect(after.fetchTimeMs - fetchMs).to.be.within(dayMs, 7 * dayMs),
    )
    expect(fetches).to.be.within((2 * 365) / 2, 6 * 365)
  })
})
