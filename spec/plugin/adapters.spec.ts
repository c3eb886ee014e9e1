import { expect } from 'chai'
import { configWith } from '../../lib/config/resolve-config.js'
import { isCrawlError } from '../../lib/errors/crawl-error.js'
import { guardScoring } from '../../lib/plugin/guard-scoring.js'
import type { PluginFailure } from '../../lib/plugin/plugin-failure.js'
import type { LoadedPlugin, NamedPlugin, PointName } from '../../lib/plugin/plugin-points.js'
import { toNormalizer, toUrlFilter } from '../../lib/plugin/url-plugins.js'
import { noMetadata } from '../../lib/record/metadata.js'
import type { DbDatum, Link } from '../../lib/record/records.js'
import { storedUrl } from '../../lib/record/url.js'
import type { ScoringFilter } from '../../lib/score/scoring-filter.js'
import { compileFilters } from '../../lib/url/url-filters.js'
import { compileNormalizers } from '../../lib/url/url-normalizers.js'
import { datumOf } from '../segment/segment-fixtures.js'

const loadedAs = <Plugin extends NamedPlugin>(point: PointName, plugin: Plugin): LoadedPlugin<Plugin> => ({
  point,
  module: '/p.mjs',
  digest: 'd1',
  plugin,
})
const noRules = () => ({ name: '', text: '' })
const { url: urlOptions } = configWith({ 'urlfilter.regex.rules': '+.' })
const throwing = (): never => {
  throw new Error('not today')
}

describe('normalizers of plugins', () => {
  const failures: PluginFailure[] = []
  beforeEach(() => failures.splice(0))
  const chainOf = (normalize: (url: string) => unknown, more: object = {}, values: Record<string, unknown> = {}, chain?: readonly string[]) => {
    const plugin = { name: 'own', normalize: normalize as (url: string) => string, ...more } // also what a plugin must not give
    const extra = [toNormalizer(loadedAs('normalizer', plugin), failure => void failures.push(failure))]
    return compileNormalizers(configWith(values).url, noRules, { extra, ...(chain === undefined ? {} : { chain }) })
  }

  it('run behind the built-in ones, whose form the result must have', () => {
    expect(chainOf(url => url.replace('http:', 'https:')).tryNormalize('HTTP://A.test')).to.equal('https://a.test/')
    expect(chainOf(url => url.replace('/x', '/a b')).tryNormalize('http://a.test/x')).to.equal('http://a.test/a%20b')
    expect(chainOf(() => 'no url').tryNormalize('http://a.test/')).to.equal(undefined)
  })

  it('run where a list names them, and only in their scopes', () => {
    const seen: string[] = []
    const look = (url: string): string => {
      seen.push(url)
      return url
    }
    chainOf(look, {}, { 'urlnormalizer.order': 'own,basic' }).tryNormalize('HTTP://A.test')
    expect(seen[0]).to.equal('HTTP://A.test')
    const scoped = chainOf(() => undefined, { scopes: ['outlink'] })
    expect(scoped.tryNormalize('http://a.test/', 'inject')).to.equal('http://a.test/')
    expect(scoped.tryNormalize('http://a.test/', 'outlink')).to.equal(undefined)
  })

  it('run in a chain only if it names them', () => {
    expect(chainOf(() => 'x', {}, {}, ['basic']).tryNormalize('http://a.test')).to.equal('http://a.test/')
    expect(chainOf(() => 'x', {}, {}, ['basic', 'own']).tryNormalize('http://a.test')).to.equal('x')
  })

  it('reject what they give undefined or null for', () => {
    for (const nothing of [undefined, null]) expect(chainOf(() => nothing).tryNormalize('http://a.test/')).to.equal(undefined)
    expect(failures).to.deep.equal([])
  })

  for (const { what, normalize, message } of [
    { what: 'throw', normalize: throwing, message: 'normalizer own of /p.mjs: normalize: not today' },
    { what: 'give a number', normalize: () => 1, message: 'normalizer own of /p.mjs: normalize: gave 1; a text or undefined is wanted' },
    {
      what: 'give a promise',
      normalize: async () => 'http://a.test/',
      message: 'normalizer own of /p.mjs: normalize: gave a promise; an answer at once is wanted',
    },
  ])
    it(`that ${what} reject the URL, are reported once and named`, () => {
      const normalizers = chainOf(normalize)
      expect(normalizers.normalize('http://a.test/')).to.deep.equal({ rejected: `own: ${message}`, isError: true })
      expect(failures).to.deep.equal([{ point: 'normalizer', plugin: 'own', module: '/p.mjs', message }])
      expect(normalizers.explain('http://a.test/').steps.at(-1)).to.deep.include({ rule: 'own', after: null, reason: `own: ${message}` })
      expect(failures).to.have.length(1)
    })
})

describe('URL filters of plugins', () => {
  const failures: PluginFailure[] = []
  beforeEach(() => failures.splice(0))
  const filtersOf = (accepts: (url: string) => unknown, more: object = {}, chain?: readonly string[]) => {
    const plugin = { name: 'own', accepts: accepts as (url: string) => boolean, ...more } // also what a plugin must not give
    return compileFilters(urlOptions, () => ({ name: 'rules', text: '-no\n+.' }), chain, [
      toUrlFilter(loadedAs('urlFilter', plugin), failure => void failures.push(failure)),
    ])
  }

  it('must accept beside the built-in ones', () => {
    const filters = filtersOf(url => !url.includes('never'))
    expect(['http://a.test/', 'http://a.test/no', 'http://a.test/never'].map(filters.accepts)).to.deep.equal([true, false, false])
  })

  it('are left out of a chain that does not name them', () => {
    expect(filtersOf(() => false, {}, ['regex']).accepts('http://a.test/')).to.equal(true)
    expect(filtersOf(() => false, {}, ['own']).accepts('http://a.test/')).to.equal(false)
  })

  it('say why, which is no error', () => {
    const rejection = filtersOf(() => false, { reason: (url: string) => `I do not like ${url}` }).rejection('http://a.test/')
    expect(rejection).to.deep.include({
      filter: 'own',
      reason: 'I do not like http://a.test/',
      isError: false,
      by: { rule: 'own', file: '/p.mjs', line: 0 },
    })
  })

  for (const { what, accepts, message } of [
    { what: 'throw', accepts: throwing, message: 'urlFilter own of /p.mjs: accepts: not today' },
    {
      what: 'give a text',
      accepts: () => 'http://a.test/',
      message: 'urlFilter own of /p.mjs: accepts: gave "http://a.test/"; true or false is wanted',
    },
    { what: 'give a promise', accepts: async () => true, message: 'urlFilter own of /p.mjs: accepts: gave a promise; an answer at once is wanted' },
  ])
    it(`that ${what} reject the URL, are reported once and named`, () => {
      const filters = filtersOf(accepts)
      expect(filters.accepts('http://a.test/')).to.equal(false)
      expect(failures).to.deep.equal([{ point: 'urlFilter', plugin: 'own', module: '/p.mjs', message }])
      expect(filters.rejection('http://a.test/')).to.deep.include({ isError: true, reason: message })
    })
})

describe('scoring of plugins', () => {
  const datum: DbDatum = datumOf('http://a.test/')
  const link: Link = { from: datum.url, to: storedUrl('http://a.test/b'), anchor: '', score: 1, metadata: noMetadata }
  const page = { from: datum, parseMetadata: noMetadata, extractedCount: 1, links: [{ url: link.to, anchor: '', rel: '', element: 'a' }] }
  const guarded = (scoring: object) => guardScoring(loadedAs('scoring', { name: 'own', ...scoring } as ScoringFilter)) // also what it must not be

  it('has the hooks that the plugin has, bound to it, and a fingerprint of its text', () => {
    const scoring = guarded({
      factor: 2,
      generatorSortValue(this: { factor: number }, _datum: DbDatum, sort: number) {
        return sort * this.factor
      },
    })
    expect(Object.keys(scoring)).to.deep.equal(['name', 'fingerprint', 'generatorSortValue'])
    expect(scoring.fingerprint).to.equal('d1')
    expect(scoring.generatorSortValue?.(datum, 3)).to.equal(6)
    expect(guarded({ fingerprint: 'own 2' }).fingerprint).to.equal('own 2')
  })

  it('may change what it is given', () => {
    const changed = { ...datum, score: 7, status: 'db_orphan', metadata: { a: 'b' } }
    expect(guarded({ orphaned: () => changed }).orphaned?.(datum, 0)).to.equal(changed)
    expect(guarded({ distribute: () => [{ ...link, score: 3 }] }).distribute?.(page, [link])).to.deep.equal([{ ...link, score: 3 }])
    expect(guarded({ distribute: () => [] }).distribute?.(page, [link])).to.deep.equal([])
  })

  const update = { old: undefined, datum, links: [], nowMs: 0 }
  for (const { hook, gives, reason } of [
    { hook: 'injected', gives: throwing, reason: 'not today' },
    { hook: 'injected', gives: () => undefined, reason: 'gave undefined; a record is wanted' },
    { hook: 'initial', gives: () => 3, reason: 'gave 3; a record is wanted' },
    { hook: 'initial', gives: async () => datum, reason: 'gave a promise; an answer at once is wanted' },
    { hook: 'update', gives: () => ({ ...datum, url: 'http://b.test/' }), reason: 'gave a record of "http://b.test/" for http://a.test/' },
    { hook: 'update', gives: () => ({ ...datum, status: 'fetch_success' }), reason: 'status: "fetch_success" is none of the CrawlDb' },
    { hook: 'update', gives: () => ({ ...datum, fetchTimeMs: 0.5 }), reason: 'fetchTimeMs: 0.5 is no whole number' },
    { hook: 'update', gives: () => ({ ...datum, score: '1' }), reason: 'gave "1"; a number is wanted' },
    { hook: 'update', gives: () => ({ ...datum, metadata: { a: 1 } }), reason: 'metadata: a is no text' },
    { hook: 'orphaned', gives: () => ({ ...datum, metadata: null }), reason: 'metadata: null is no object' },
    { hook: 'generatorSortValue', gives: () => Number.NaN, reason: 'gave NaN; a number is wanted' },
    { hook: 'indexerBoost', gives: () => undefined, reason: 'gave undefined; a number is wanted' },
    { hook: 'distribute', gives: () => undefined, reason: 'gave undefined; a list of links is wanted' },
    { hook: 'distribute', gives: () => [{ ...link, to: 'http://else.test/' }], reason: 'gave a link that is none of http://a.test/' },
    { hook: 'distribute', gives: () => [{ ...link, score: undefined }], reason: 'gave undefined; a number is wanted' },
  ] as const)
    it(`ends the job when ${hook} goes wrong: ${reason}`, () => {
      const scoring = guarded({ [hook]: gives })
      const calls: Record<typeof hook, () => unknown> = {
        injected: () => scoring.injected?.(datum),
        initial: () => scoring.initial?.(datum),
        update: () => scoring.update?.(update),
        orphaned: () => scoring.orphaned?.(datum, 0),
        generatorSortValue: () => scoring.generatorSortValue?.(datum, 1),
        indexerBoost: () => scoring.indexerBoost?.(datum, 1),
        distribute: () => scoring.distribute?.(page, [link]),
      }
      expect(calls[hook])
        .to.throw(`scoring own of /p.mjs: ${hook}`)
        .that.satisfies(
          (error: unknown) => isCrawlError(error, 'PLUGIN_FAILED') && error.cause instanceof Error && error.cause.message.startsWith(reason),
        )
    })
})
