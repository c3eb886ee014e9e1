import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { parseSeedLine, type Seed, type SeedLine } from '../../lib/record/seed-line.js'
import { describeCorpus } from '../support/corpus.js'

function seedOf(line: string): Extract<SeedLine, { kind: 'seed' }> {
  const parsed = parseSeedLine(line)
  return parsed.kind === 'seed' ? parsed : expect.fail(`${line} is ${parsed.kind}`)
}

describe('a seed line', () => {
  for (const line of ['', '   ', '\t', '# comment', '  # comment', '#http://a.example/'])
    it(`is blank: ${JSON.stringify(line)}`, () => expect(parseSeedLine(line)).to.deep.equal({ kind: 'blank' }))

  for (const { line, urlText, seed, why } of [
    { line: 'http://a.example/', urlText: 'http://a.example/', seed: { metadata: {} }, why: 'a URL' },
    { line: '  http://a.example/  ', urlText: 'http://a.example/', seed: { metadata: {} }, why: 'trimmed' },
    { line: 'http://a.example/a b', urlText: 'http://a.example/a b', seed: { metadata: {} }, why: 'only tabs separate' },
    {
      line: 'http://a.example/\tnutch.score=10\tnutch.fetchInterval=2592000\tuserType=open_source',
      urlText: 'http://a.example/',
      seed: { score: 10, fetchIntervalS: 2_592_000, metadata: { userType: 'open_source' } },
      why: 'score, interval, metadata',
    },
    {
      line: 'http://a.example/\tnutch.fetchInterval.fixed=86400',
      urlText: 'http://a.example/',
      seed: { fetchIntervalS: 86_400, metadata: { fixedInterval: '86400.0' } },
      why: 'a fixed interval is an interval, and kept as a float',
    },
    {
      line: 'http://a.example/\tkey=value=with=equals\tempty=\tnoise\t\t=nameless',
      urlText: 'http://a.example/',
      seed: { metadata: { key: 'value=with=equals', empty: '', '': 'nameless' } },
      why: 'the first = splits; what has none is not read',
    },
    { line: 'http://a.example/\tk=1\tk=2', urlText: 'http://a.example/', seed: { metadata: { k: '2' } }, why: 'the last of one key' },
    { line: 'http://a.example/\tnutch.score=.5f', urlText: 'http://a.example/', seed: { score: 0.5, metadata: {} }, why: 'a float as Java reads it' },
    {
      line: 'http://a.example/\tnutch.score= 1e-3 ',
      urlText: 'http://a.example/',
      seed: { score: Math.fround(0.001), metadata: {} },
      why: 'and trims it',
    },
    { line: 'http://a.example/\tnutch.score=1e-60', urlText: 'http://a.example/', seed: { score: 0, metadata: {} }, why: 'too small is 0' },
    { line: 'http://a.example/\tnutch.fetchInterval=+7', urlText: 'http://a.example/', seed: { fetchIntervalS: 7, metadata: {} }, why: 'a sign' },
  ] as { line: string; urlText: string; seed: Seed; why: string }[])
    it(`${JSON.stringify(line)} (${why})`, () => expect(parseSeedLine(line)).to.deep.equal({ kind: 'seed', urlText, seed, problems: [] }))

  for (const { token, problem, seed = { metadata: {} } } of [
    { token: 'nutch.score=NaN', problem: 'nutch.score=NaN is no finite number' },
    { token: 'nutch.score=Infinity', problem: 'nutch.score=Infinity is no finite number' },
    { token: 'nutch.score=-Infinity', problem: 'nutch.score=-Infinity is no finite number' },
    { token: 'nutch.score=1e400', problem: 'nutch.score=1e400 is no finite number' },
    { token: 'nutch.score=3.5e38', problem: 'nutch.score=3.5e38 is no finite number' },
    { token: 'nutch.score=ten', problem: 'nutch.score=ten is no finite number' },
    { token: 'nutch.score=', problem: 'nutch.score= is no finite number' },
    { token: 'nutch.score=0x10', problem: 'nutch.score=0x10 is no finite number' },
    { token: 'nutch.score=-5', problem: 'nutch.score=-5 is negative', seed: { score: -5, metadata: {} } },
    { token: 'nutch.fetchInterval=99999999999999', problem: 'nutch.fetchInterval=99999999999999 is no whole number of seconds within 1…2147483647' },
    { token: 'nutch.fetchInterval=0', problem: 'nutch.fetchInterval=0 is no whole number' },
    { token: 'nutch.fetchInterval=-1', problem: 'nutch.fetchInterval=-1 is no whole number' },
    { token: 'nutch.fetchInterval=1.5', problem: 'nutch.fetchInterval=1.5 is no whole number' },
    { token: 'nutch.fetchInterval=60 \tx=y', problem: 'nutch.fetchInterval=60  is no whole number', seed: { metadata: { x: 'y' } } },
    { token: 'nutch.fetchInterval.fixed=-1', problem: 'nutch.fetchInterval.fixed=-1 is no whole number' },
    { token: ' nutch.score=2', problem: '" nutch.score" has white space around it', seed: { metadata: { ' nutch.score': '2' } } },
    { token: '__proto__=x', problem: '__proto__ cannot be a metadata key' },
  ] as { token: string; problem: string; seed?: Seed }[])
    it(`reports ${JSON.stringify(token)} and is injected all the same (R041)`, () => {
      const parsed = seedOf(`http://a.example/\t${token}`)
      expect(parsed.seed).to.deep.equal(seed)
      expect(parsed.problems).to.have.lengthOf(1)
      expect(parsed.problems[0]).to.include(problem)
    })

  it('is a record where a JSON object stands behind the first tab', () => {
    expect(parseSeedLine('http://a.example/\t{"status":"injected","score":1,"text":"a\\tb"}')).to.deep.equal({
      kind: 'record',
      urlText: 'http://a.example/',
      json: { status: 'injected', score: 1, text: 'a\tb' },
    })
  })
  it('refuses what begins as a JSON object and is none', () => {
    expect(() => parseSeedLine('http://a.example/\t{"status":'))
      .to.throw()
      .with.property('code', 'LINE_INVALID')
  })

  it('never gives a number that is not finite and in bounds, whatever the line', () => {
    const value = fc.oneof(fc.string(), fc.double().map(String), fc.bigInt().map(String), fc.constantFrom('NaN', 'Infinity', '1e999', '-0'))
    fc.assert(
      fc.property(fc.constantFrom('nutch.score', 'nutch.fetchInterval', 'nutch.fetchInterval.fixed'), value, (key, text) => {
        const parsed = parseSeedLine(`u\t${key}=${text}`)
        if (parsed.kind !== 'seed') return
        const { score = 0, fetchIntervalS = 1 } = parsed.seed
        expect(Number.isFinite(score) && Math.fround(score) === score).to.equal(true)
        expect(Number.isInteger(fetchIntervalS) && fetchIntervalS >= 1 && fetchIntervalS <= 2_147_483_647).to.equal(true)
      }),
      { numRuns: 2000 },
    )
  })

  describeCorpus('of the corpus', corpus => {
    const linesOf = (file: string): SeedLine[] =>
      readFileSync(join(corpus, 'nutch/seeds', file), 'utf8')
        .trimEnd()
        .split('\n')
        .map(parseSeedLine)
    it('with metadata is read as documented', () => {
      expect(linesOf('seeds-metadata.txt').map(line => (line.kind === 'seed' ? [line.urlText, line.seed] : line.kind))).to.deep.equal([
        ['http://www.nutch.org/', { score: 10, fetchIntervalS: 2_592_000, metadata: { userType: 'open_source' } }],
        ['http://www.example.com/', { fetchIntervalS: 86_400, metadata: { fixedInterval: '86400.0', homepage: 'true' } }],
        ['http://www.example.net/', { metadata: { key: 'value=with=equals', empty: '' } }],
        ['http://www.example.org/ ', { metadata: { ' nutch.score': '0.5 ', ' lang': 'de' } }],
        ['not a url', { metadata: { x: 'y' } }],
      ])
    })
    it('without metadata is read as documented', () => {
      expect(linesOf('seeds-plain.txt').map(line => (line.kind === 'seed' ? line.urlText : line.kind))).to.deep.equal([
        'blank',
        'blank',
        'http://nutch.apache.org/',
        'http://www.example.com/',
        'http://www.example.org/with-spaces',
      ])
    })
    it('of StormCrawler is read too', () => {
      expect(linesOf('stormcrawler-seed-list-custom-metadata.txt')).to.deep.equal([
        { kind: 'seed', urlText: 'https://stormcrawler.apache.org', seed: { metadata: { custom1: 'bla1', custom2: 'bla2' } }, problems: [] },
      ])
    })
    it('of a thousand hosts is a thousand seeds', () => {
      expect(linesOf('top-websites-1000.txt').filter(({ kind }) => kind === 'seed')).to.have.lengthOf(1000)
    })
  })
})
