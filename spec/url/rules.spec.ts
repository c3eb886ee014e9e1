import { expect } from 'chai'
import { configWith } from '../../lib/config/resolve-config.js'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { compileAutomatonFilter } from '../../lib/url/filters/automaton-filter.js'
import { compileDomainFilter } from '../../lib/url/filters/domain-filter.js'
import { compileFastFilter } from '../../lib/url/filters/fast-filter.js'
import { compilePrefixFilter } from '../../lib/url/filters/prefix-filter.js'
import { compileRegexFilter } from '../../lib/url/filters/regex-filter.js'
import { compileSuffixFilter } from '../../lib/url/filters/suffix-filter.js'
import type { UrlFilter } from '../../lib/url/filters/url-filter.js'
import { regexNormalizer } from '../../lib/url/normalizers/regex-normalizer.js'
import { chainFilters, compileExemptions } from '../../lib/url/url-filters.js'
import { loadFilters, loadNormalizers, ruleReader } from '../../pipelines/url-rules.js'

const file = (...lines: readonly string[]) => ({ name: 'rules.txt', text: lines.join('\n') })

describe('rule files', () => {
  for (const { what, compile, message } of [
    {
      what: 'a line without a sign',
      compile: () => compileRegexFilter(file('# x', '', 'http://')),
      message: /^rules\.txt:3: a rule begins with \+ or -/,
    },
    { what: 'a bad pattern', compile: () => compileRegexFilter(file('+.', '-(a')), message: /^rules\.txt:2: \(a: \( is not closed at character 3/ },
    { what: 'a bad expression', compile: () => compileAutomatonFilter(file('-[a')), message: /^rules\.txt:1: \[a: \[ is not closed/ },
    { what: 'a numeric interval', compile: () => compileAutomatonFilter(file('-<1-9>')), message: /^rules\.txt:1: .*no equivalent/ },
    { what: 'a rule before its block', compile: () => compileFastFilter(file('DenyPath x')), message: /^rules\.txt:1: DenyPath before any/ },
    { what: 'an unknown word', compile: () => compileFastFilter(file('Host a', 'Deny x')), message: /^rules\.txt:2: unknown word Deny/ },
    { what: 'no XML', compile: () => regexNormalizer(file('<regex-normalize>', '<regex>')), message: /^rules\.txt:\d: no XML/ },
    { what: 'another document', compile: () => regexNormalizer(file('<a/>')), message: /^rules\.txt:1: <regex-normalize> wanted/ },
    {
      what: 'a pattern of the XML',
      compile: () => regexNormalizer(file('<regex-normalize>', '<regex>', '<pattern>a(?u)</pattern><substitution/></regex></regex-normalize>')),
      message: /^rules\.txt:3: a\(\?u\): flag u has no equivalent/,
    },
    {
      what: 'a substitution of the XML',
      compile: () => regexNormalizer(file('<regex-normalize><regex><pattern>a</pattern><substitution>$1</substitution></regex></regex-normalize>')),
      message: /^rules\.txt:1: .*group 1/,
    },
  ]) {
    it(`name file, line and reason of ${what}`, () => {
      expect(compile).to.throw(CrawlError, message).with.property('code', 'URL_RULE_INVALID')
    })
  }

  it('may begin with a byte order mark and end lines as Windows does', () => {
    const filter = compileRegexFilter({ name: 'r', text: '\ufeff# rules\r\n-b$\r\n+.\r\n' })
    expect(['http://a/a', 'http://a/b'].map(filter.accepts)).to.deep.equal([true, false])
    expect(filter.verdict('http://a/b').by).to.deep.include({ rule: '-b$', file: 'r', line: 2 })
  })

  it('that are not there are an error, but for the domain filters', () => {
    const config = configWith({ 'urlfilter.regex.file': '/no/such/file', 'urlfilter.domain.file': '/no/such/file' }).url
    expect(() => loadFilters(config))
      .to.throw(CrawlError, /\/no\/such\/file/)
      .with.property('code', 'CONFIG_INVALID')
    expect(loadFilters(config, undefined, ['domain']).accepts('http://a.example/')).to.equal(true)
  })

  it('can stand in an option', () => {
    const filters = loadFilters(configWith({ 'urlfilter.regex.rules': '-private\n+.' }).url)
    expect(filters.accepts('http://a/private')).to.equal(false)
    expect(filters.explain('http://a/private').steps[0]).to.include({ rule: '-private', file: '-D urlfilter.regex.rules', line: 1 })
  })
})

describe('filters', () => {
  it('answer from 100,000 entries as fast as from a few', () => {
    const names = Array.from({ length: 100_000 }, (_, index) => `host${index}.example`)
    const filters: readonly UrlFilter[] = [
      compilePrefixFilter(file(names.map(name => `http://${name}/`).join('\n'))),
      compileSuffixFilter(file('-', names.map(name => `.${name}.html`).join('\n'))),
      compileDomainFilter(file(names.join('\n'))),
      compileFastFilter(
        file(
          names
            .slice(0, 80_000)
            .map(name => `Host ${name}\n  DenyPath ^/private`)
            .join('\n'),
        ),
      ),
    ]
    const url = 'http://host77777.example/a.host55555.example.html'
    for (const filter of filters) expect(filter.accepts(url), filter.name).to.equal(true)
    const startMs = performance.now()
    for (let round = 0; round < 2_000; round++) for (const filter of filters) filter.accepts(url)
    expect((performance.now() - startMs) / 8).to.be.below(200) // µs a call, with a wide margin for a busy machine
  })

  it('match whole URLs by an automaton, with "and", "not" and quotes', () => {
    const filter = compileAutomatonFilter(file('-@\\.(a|b){2}', '+http://~(@private@)&@"."example@', '+"http://[x]"#?'))
    expect(
      ['http://w.example/x.ab', 'http://w.example/', 'http://w.example/private', 'http://w.example/x.abb', 'http://[x]'].map(filter.accepts),
    ).to.deep.equal([false, true, false, true, true])
  })

  it('put rules under hosts and domains', () => {
    const filter = compileRegexFilter(file('>a.example', '-x', '<', '> b.test', '-y', '<', '+.'))
    const urls = ['http://a.example/x', 'http://www.a.example/x', 'http://c.example/x', 'http://www.b.test/y', 'http://b.test/x']
    expect(urls.map(filter.accepts)).to.deep.equal([false, false, true, false, true])
  })

  it('mean a host also where it is written with the dot of the root', () => {
    const scoped = compileRegexFilter(file('>www.a.example', '-/x', '<', '+.'))
    const fast = compileFastFilter(file('Host www.a.example', 'DenyPath x', 'Domain b.test', 'DenyPath x'))
    for (const filter of [scoped, fast]) {
      expect(filter.accepts('http://www.a.example./x'), filter.name).to.equal(false)
      expect(filter.accepts('http://www.a.example./y'), filter.name).to.equal(true)
    }
    expect(fast.accepts('http://www.b.test./x')).to.equal(false)
  })

  it('reject where one fails, and say so', () => {
    const broken: UrlFilter = {
      name: 'broken',
      accepts: () => {
        throw new Error('no table')
      },
      verdict: () => {
        throw new Error('no table')
      },
    }
    const filters = chainFilters([broken])
    expect(filters.accepts('http://a/')).to.equal(false)
    expect(filters.rejection('http://a/')).to.include({ filter: 'broken', isError: true, reason: 'no table' })
    expect(filters.explain('http://a/')).to.deep.include({ accepted: false, url: null })
  })

  it('reject what a pattern gave no answer about, with the rule as reason', () => {
    const filters = chainFilters([compileRegexFilter(file('-.*(/.+?)/.*?\\1/.*?\\1/', '+.'), 10_000)])
    const long = `http://a.example/${Array.from({ length: 200 }, (_, number) => number.toString(36)).join('/')}`
    expect(filters.accepts(long)).to.equal(false)
    expect(filters.rejection(long)).to.deep.include({ isError: true, filter: 'regex' }).and.nested.include({ 'by.line': 1, 'by.file': 'rules.txt' })
    expect(filters.accepts('http://a.example/s')).to.equal(true)
  })

  it('ask every one, in the order of the chain', () => {
    const filters = loadFilters(
      configWith({ 'urlfilter.order': 'org.apache.nutch.urlfilter.domain.DomainURLFilter, regex', 'urlfilter.domain.rules': 'a.example' }).url,
    )
    expect(filters.filters.map(({ name }) => name)).to.deep.equal(['domain', 'regex'])
    expect(filters.explain('http://b.example/').steps[0]).to.include({ rule: 'neither suffix, domain nor host is listed' })
    expect(filters.explain('http://a.example/x.png').steps[0]?.rule).to.match(/^-/)
    expect(filters.explain('http://a.example/').passedBy).to.have.lengthOf(2)
    expect(() => loadFilters(configWith({ 'urlfilter.order': 'regx' }).url)).to.throw(CrawlError, /did you mean regex/)
  })

  it('let links leave a site that exemptions name', () => {
    expect(compileExemptions(configWith().url, ruleReader())('http://cdn.example/x')).to.equal(false)
    const config = configWith({ 'db.ignore.external.exemptions.file': 'exempt' }).url
    const isExempt = compileExemptions(config, () => file('+^http://cdn\\.'))
    expect(['http://cdn.example/x', 'http://b.example/'].map(isExempt)).to.deep.equal([true, false])
  })
})

describe('shipped rules', () => {
  const { url } = configWith()
  for (const chain of ['regex', 'automaton', 'prefix', 'suffix', 'fast']) {
    it(`of ${chain} accept pages, with and without a query`, () => {
      const filters = loadFilters(url, undefined, [chain])
      for (const page of ['http://a.example/', 'https://a.example/x.html?a=1&b=@!*', 'http://a.example/a/b/c/d/e', 'https://a.example/@user/post']) {
        expect(filters.accepts(page), page).to.equal(true)
      }
    })
  }
  it('reject what has no text, other schemes, and loops', () => {
    const filters = loadFilters(url)
    for (const bad of [
      'http://a.example/x.PNG',
      'http://a.example/s.css?v=1',
      'ftp://a.example/',
      'file:/etc/passwd',
      'http://a.example/b/c/b/c/b/',
    ]) {
      expect(filters.accepts(bad), bad).to.equal(false)
    }
  })

  for (const { raw, normalized } of [
    { raw: 'http://a.example/b;jsessionid=0123?x=1', normalized: 'http://a.example/b?x=1' },
    { raw: 'http://a.example/b;jsessionid=0123/c', normalized: 'http://a.example/b/c' },
    { raw: 'http://a.example/b?PHPSESSID=1&x=1', normalized: 'http://a.example/b?x=1' },
    { raw: 'http://a.example/b?x=1&sid=0123456789abcdef0123456789abcdef', normalized: 'http://a.example/b?x=1' },
    { raw: 'http://a.example/b?sid=123', normalized: 'http://a.example/b?sid=123' },
    { raw: 'http://a.example/(S(lit3py55t21z5v55vlm25s55))/x', normalized: 'http://a.example/x' },
    { raw: 'http://a.example/b?utm_source=x&utm_medium=y', normalized: 'http://a.example/b' },
    { raw: 'http://a.example/b?&&x=1&', normalized: 'http://a.example/b?x=1' },
    { raw: 'http://a.example/Inc.', normalized: 'http://a.example/Inc.' },
    { raw: 'http://a.example/..;sid=3?x', normalized: 'http://a.example/?x' },
    { raw: 'file:///a/b', normalized: 'file:/a/b' },
  ]) {
    it(`normalize ${raw}`, () => {
      const normalizers = loadNormalizers(url)
      expect(normalizers.tryNormalize(raw)).to.equal(normalized)
      expect(normalizers.tryNormalize(normalized)).to.equal(normalized)
    })
  }
})
