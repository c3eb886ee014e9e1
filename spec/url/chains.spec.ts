import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect } from 'chai'
import fc from 'fast-check'
import { configWith } from '../../lib/config/resolve-config.js'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { Counters } from '../../lib/log/counters.js'
import { compileFilters } from '../../lib/url/url-filters.js'
import { compileNormalizers } from '../../lib/url/url-normalizers.js'
import { filterUrls, normalizeUrls } from '../../lib/url/url-stages.js'
import { loadNormalizers } from '../../pipelines/url-rules.js'
import { pageUrls, roughUrls } from './url-arbitraries.js'

const xml = (...rules: readonly (readonly [pattern: string, substitution: string])[]): string => {
  const entries = rules.map(([pattern, substitution]) => `<regex><pattern>${pattern}</pattern><substitution>${substitution}</substitution></regex>`)
  return `<regex-normalize>${entries.join('\n')}</regex-normalize>`
}

function normalizersWith(text: string, values: Readonly<Record<string, string>> = {}, chain?: readonly string[]) {
  return compileNormalizers(configWith(values).url, () => ({ name: 'rules.xml', text }), chain === undefined ? {} : { chain })
}

describe('normalizer chains', () => {
  it('change nothing the second time, and explain what they do', () => {
    const normalizers = loadNormalizers(configWith().url)
    fc.assert(
      fc.property(fc.oneof(pageUrls, roughUrls), raw => {
        const url = normalizers.tryNormalize(raw)
        const decision = normalizers.explain(raw)
        expect(decision).to.include({ accepted: url !== undefined, url: url ?? null })
        const texts = [raw, ...decision.steps.map(({ after }) => after)]
        expect(decision.steps.map(({ before }) => before)).to.deep.equal(texts.slice(0, -1))
        if (url !== undefined) expect(texts.at(-1)).to.equal(url) && expect(normalizers.tryNormalize(url)).to.equal(url)
      }),
      { numRuns: 1000 },
    )
  })

  it('have one for each scope', () => {
    const normalizers = normalizersWith(xml(['a', 'b']), { 'urlnormalizer.scope.inject': 'regex, basic', 'urlnormalizer.order.outlink': 'regex' })
    expect(normalizers.tryNormalize('HTTP://x.example/a', 'fetcher')).to.equal('http://x.exbmple/b')
    expect(normalizers.explain('HTTP://x.example/a', 'default').steps.map(({ rule }) => rule)).to.deep.equal(['basic', 'a -> b'])
    expect(normalizers.explain('HTTP://x.example/a', 'inject').steps.map(({ rule }) => rule)).to.deep.equal(['a -> b', 'basic'])
    expect(normalizers.explain('HTTP://x.example/a', 'outlink').steps.map(({ rule }) => rule)).to.deep.equal(['a -> b', 'basic'])
  })

  it('run an explicit chain once, or urlnormalizer.loop.count times', () => {
    expect(normalizersWith(xml(['aa', 'a']), {}, ['regex']).tryNormalize('aaaaaaaa')).to.equal('aaaa')
    expect(normalizersWith(xml(['aa', 'a']), { 'urlnormalizer.loop.count': '2' }, ['regex']).tryNormalize('aaaaaaaa')).to.equal('aa')
  })

  it('end although rules turn in a circle', () => {
    const normalizers = normalizersWith(xml(['/a$', '/b'], ['/b$', '/a']))
    expect(normalizers.tryNormalize('http://x.test/a')).to.equal('http://x.test/a')
    expect(normalizersWith(xml(['$', 'x'])).tryNormalize('http://x.test/')).to.match(/^http:\/\/x\.test\/x+$/)
  })

  it('refuse what rules leave that is no URL', () => {
    const normalizers = normalizersWith(xml(['^http://[^/]*', 'mailto:']), { 'urlnormalizer.order': 'regex' })
    expect(normalizers.normalize('http://x.test/a')).to.deep.equal({ rejected: 'no host' })
    expect(normalizers.explain('http://x.test/a')).to.include({ accepted: false, url: null })
    const spaced = normalizersWith(xml(['x', '&#9;']), { 'urlnormalizer.order': 'regex' })
    expect(spaced.normalize('http://x.test/')).to.deep.equal({ rejected: 'a tab or a line end in the URL' })
  })

  it('say the reason when a pattern takes too long', () => {
    const normalizers = normalizersWith(xml(['(/.+?)/.*?\\1/.*?\\1/', '/']), { 'millrace.regex.max.steps': '2000' })
    const long = `http://a.test/${Array.from({ length: 200 }, (_, number) => number.toString(36)).join('/')}`
    expect(normalizers.normalize(long)).to.deep.equal({ rejected: 'regex: no answer within 2000 steps', isError: true })
    expect(normalizers.explain(long).steps.at(-1)).to.include({ after: null, reason: 'regex: no answer within 2000 steps' })
  })

  it('keep a bare scheme only in a chain of its own', () => {
    const config = configWith().url
    expect(loadNormalizers(config, undefined, ['basic']).normalize('http:')).to.deep.equal({ url: 'http:/' })
    expect(loadNormalizers(config).normalize('http:')).to.deep.equal({ rejected: 'malformed' })
    expect(() => loadNormalizers(config, undefined, ['basik'])).to.throw(CrawlError, /did you mean basic/)
  })
})

describe('URL stages', () => {
  const { url } = configWith({ 'urlfilter.regex.rules': '-secret\n+.' })
  const normalizers = loadNormalizers(url)
  const filters = compileFilters(url, source => (source.kind === 'text' ? { name: source.name, text: source.text } : { name: '', text: '' }))

  it('are Transforms that give normalized, accepted records and count the others', async () => {
    const counters = new Counters()
    const normalize = normalizeUrls<{ readonly url: string; readonly id: number }>(normalizers, 'inject', { counters })
    const filter = filterUrls<{ readonly url: string; readonly id: number }>(filters, { counters })
    expect([normalize, filter].every(stage => stage instanceof Transform)).to.equal(true)
    const kept: unknown[] = []
    const given = ['HTTP://a.test', 'mailto:x', 'http://a.test/secret', 'http://a.test/'].map((text, id) => ({ url: text, id }))
    await pipeline(Readable.from(given), normalize, filter, async function collect(source: AsyncIterable<unknown>) {
      for await (const record of source) kept.push(record)
    })
    expect(kept).to.deep.equal([
      { url: 'http://a.test/', id: 0 },
      { url: 'http://a.test/', id: 3 },
    ])
    expect(counters.toJSON()).to.deep.equal({
      'filter/accepted': 2,
      'filter/rejected': 1,
      'normalize/changed': 1,
      'normalize/malformed': 1,
      'normalize/unchanged': 2,
    })
  })

  it('let timers run while a rule gives up on URL after URL', async () => {
    const config = configWith({ 'urlfilter.regex.rules': '-(/.+?)/.*?\\1/.*?\\1/\n+.' }).url
    const slow = compileFilters(config, source => (source.kind === 'text' ? { name: source.name, text: source.text } : { name: '', text: '' }))
    const long = `http://a.test/${Array.from({ length: 400 }, (_, number) => number.toString(36)).join('/')}`
    let ticks = 0
    const timer = setInterval(() => ticks++, 5)
    const counters = new Counters()
    const filter = filterUrls<{ readonly url: string }>(slow, { counters })
    await pipeline(Readable.from(Array.from({ length: 12 }, () => ({ url: long }))), filter, async function drain(source: AsyncIterable<unknown>) {
      for await (const _ of source) expect.fail('nothing passes')
    })
    clearInterval(timer)
    expect(counters.get('filter/error')).to.equal(12)
    expect(ticks).to.be.above(2)
  })
})
