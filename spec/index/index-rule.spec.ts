import { expect } from 'chai'
import { configWith } from '../../lib/config/resolve-config.js'
import { decideIndexing, type IndexFacts } from '../../lib/index/index-rule.js'
import type { DbDatum, FetchOutcome, Parse } from '../../lib/record/records.js'
import { outcomeOf, parseOf } from '../segment/segment-fixtures.js'

const url = 'http://a.test/'
const outcome = (status: FetchOutcome['status']): FetchOutcome => outcomeOf(url, { status })
const datum = (status: DbDatum['status']): DbDatum => ({ ...outcomeOf(url).datum, status })
const parse = (changes: Partial<Parse> = {}): Parse => parseOf(url, changes)
const robots = { noindex: false, nofollow: false, noarchive: false }
const facts: IndexFacts = { outcome: outcome('fetch_success'), parse: parse(), datum: datum('db_fetched'), isApplied: true, nowMs: 1000 }

/** Nutch's IndexerMapReduce. `plain` without options; `asked` with the option named. */
const cases: readonly { what: string; given: Partial<IndexFacts>; plain: string; option?: string; asked?: string }[] = [
  { what: 'a page that was fetched and parsed', given: {}, plain: 'add' },
  {
    what: 'one with the same content as before',
    given: { datum: datum('db_notmodified') },
    plain: 'add',
    option: 'indexer.skip.notmodified',
    asked: 'skip not_modified',
  },
  {
    what: 'a page that is gone',
    given: { outcome: outcome('fetch_gone'), parse: undefined },
    plain: 'skip gone',
    option: 'indexer.delete',
    asked: 'delete gone',
  },
  { what: 'one that is gone by now', given: { datum: datum('db_gone') }, plain: 'skip gone', option: 'indexer.delete', asked: 'delete gone' },
  { what: 'an orphan', given: { datum: datum('db_orphan') }, plain: 'skip gone', option: 'indexer.delete', asked: 'delete gone' },
  {
    what: 'a temporary redirect',
    given: { outcome: outcome('fetch_redir_temp') },
    plain: 'skip redirected',
    option: 'indexer.delete',
    asked: 'delete redirected',
  },
  {
    what: 'a permanent redirect',
    given: { outcome: outcome('fetch_redir_perm') },
    plain: 'skip redirected',
    option: 'indexer.delete',
    asked: 'delete redirected',
  },
  {
    what: 'one that redirects by now',
    given: { datum: datum('db_redir_perm') },
    plain: 'skip redirected',
    option: 'indexer.delete',
    asked: 'delete redirected',
  },
  { what: 'a duplicate', given: { datum: datum('db_duplicate') }, plain: 'skip duplicate', option: 'indexer.delete', asked: 'delete duplicate' },
  {
    what: 'a failed fetch',
    given: { outcome: outcome('fetch_retry') },
    plain: 'skip not_fetched',
    option: 'indexer.delete',
    asked: 'skip not_fetched',
  },
  {
    what: 'one that asks not to be indexed',
    given: { parse: parse({ robots: { ...robots, noindex: true } }) },
    plain: 'skip noindex',
    option: 'indexer.delete.robots.noindex',
    asked: 'delete noindex',
  },
  {
    what: 'one not to be shown any more',
    given: { parse: parse({ robots: { ...robots, unavailableAfterMs: 1000 } }) },
    plain: 'skip unavailable',
    option: 'indexer.delete',
    asked: 'delete unavailable',
  },
  { what: 'one to be shown still', given: { parse: parse({ robots: { ...robots, unavailableAfterMs: 1001 } }) }, plain: 'add' },
  {
    what: 'a parse that failed',
    given: { parse: parse({ status: 'failed' }) },
    plain: 'skip parse_failed',
    option: 'parser.delete.failed.parse',
    asked: 'delete parse_failed',
  },
  {
    what: 'a type that is not parsed',
    given: { parse: parse({ status: 'notparsed' }) },
    plain: 'skip not_parsed',
    option: 'indexer.delete',
    asked: 'skip not_parsed',
  },
  { what: 'a page without a parse', given: { parse: undefined }, plain: 'skip not_parsed' },
  {
    what: 'one that the CrawlDb does not have',
    given: { datum: undefined },
    plain: 'skip not_in_db',
    option: 'indexer.delete',
    asked: 'delete not_in_db',
  },
  {
    what: 'one that it cannot have yet',
    given: { datum: undefined, isApplied: false },
    plain: 'skip not_in_db',
    option: 'indexer.delete',
    asked: 'skip not_in_db',
  },
]

describe('decideIndexing', () => {
  const decide = (given: Partial<IndexFacts>, options: Record<string, unknown>): string => {
    const decision = decideIndexing({ ...facts, ...given }, configWith(options).index)
    return decision.action === 'add' ? 'add' : `${decision.action} ${decision.reason}`
  }
  for (const { what, given, plain, option, asked } of cases) {
    it(`${plain}: ${what}`, () => expect(decide(given, {})).to.equal(plain))
    if (option !== undefined) it(`${asked}: ${what}, with ${option}`, () => expect(decide(given, { [option]: true })).to.equal(asked))
  }
})
