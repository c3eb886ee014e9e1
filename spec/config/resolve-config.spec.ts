import { expect } from 'chai'
import { type Config, optionGroups } from '../../lib/config/options.js'
import { configWith, optionsByProperty, resolveConfig } from '../../lib/config/resolve-config.js'
import { suggestion } from '../../lib/config/suggestion.js'
import { CrawlError } from '../../lib/errors/crawl-error.js'

const reference = (property: string) => `\${${property}}`
const layer = (source: string, values: Record<string, unknown>, isStrict = true) => ({ source, values, isStrict })

function problemsOf(...layers: Parameters<typeof resolveConfig>): string[] {
  try {
    resolveConfig(...layers)
  } catch (error) {
    if (error instanceof CrawlError && error.code === 'CONFIG_INVALID') return error.message.split('\n')
    throw error
  }
  return []
}

describe('resolveConfig', () => {
  it('takes the defaults when no layer says anything', () => {
    const { config, unknown } = resolveConfig()
    expect(config.schedule.intervalS).to.equal(2_592_000)
    expect(config.db.retryMax).to.equal(3)
    expect(unknown).to.deep.equal([])
  })

  it('accepts every default, and every property has one name and a text', () => {
    const fields = Object.values(optionGroups).flatMap(group => Object.values(group))
    const names = fields.map(({ property }) => property)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([])
    expect(fields.filter(({ text }) => !text.endsWith('.')).map(({ property }) => property)).to.deep.equal([])
    expect(optionsByProperty.size).to.equal(fields.length)
  })

  it('lets later layers win, and remembers which one did', () => {
    const name = 'db.fetch.retry.max'
    const { config, origins } = resolveConfig([layer('nutch-site.xml', { [name]: '4' }, false), layer('-D', { [name]: '5' }), layer('flags', {})])
    expect(config.db.retryMax).to.equal(5)
    expect(origins.get(name)).to.deep.equal({ value: '5', source: '-D' })
    expect(origins.get('db.fetch.interval.max')).to.deep.equal({ value: 7_776_000, source: 'default' })
  })

  it('is frozen all through', () => {
    const { config } = resolveConfig()
    expect(Object.isFrozen(config) && Object.values(config).every(Object.isFrozen)).to.equal(true)
  })

  it('tells all problems of all layers together, each with source, name, value and what would do', () => {
    const problems = problemsOf([
      layer('millrace.config.json', { 'db.fetch.retry.max': 'often', 'db.fetch.retri.max': 3 }),
      layer('-D', { 'generate.count.mode': 'ip', 'zzz.unheard.of.anywhere': '1' }),
    ])
    expect(problems).to.have.lengthOf(4)
    const text = problems.join('\n')
    expect(text).to.match(/^millrace\.config\.json: unknown option db\.fetch\.retri\.max \(did you mean db\.fetch\.retry\.max\?\)$/m)
    expect(text).to.match(/^-D: unknown option zzz\.unheard\.of\.anywhere$/m)
    expect(text).to.match(/^millrace\.config\.json: db\.fetch\.retry\.max = "often": .*number/m)
    expect(text).to.match(/^-D: generate\.count\.mode = "ip": .*host.*domain/m)
  })

  for (const [property, value, reason] of [
    ['fetcher.threads.fetch', 'x', 'must be a number'],
    ['fetcher.threads.fetch', '1.5', 'must be a whole number'],
    ['fetcher.threads.fetch', '0', 'must be at least 1'],
    ['fetcher.threads.fetch', '20000', 'must be at most 10000'],
    ['fetcher.server.min.delay', 'Infinity', 'must be a finite number'],
    ['db.ignore.internal.links', 'maybe', 'must be true or false'],
    ['http.agent.name', ['a'], 'must be text'],
    ['http.robots.agents', { a: 1 }, 'must be a list of texts'],
    ['generate.count.mode', 'ip', 'must be one of host, domain'],
  ] as const) {
    it(`says why ${property} cannot be ${JSON.stringify(value)}`, () => {
      expect(problemsOf([layer('-D', { [property]: value })])).to.deep.equal([`-D: ${property} = ${JSON.stringify(value)}: ${reason}`])
    })
  }

  it('lists unknown names of a layer that is not strict, once, and refuses its bad values all the same', () => {
    const { unknown } = resolveConfig([layer('a.xml', { 'solr.server.url': 'x' }, false), layer('b.xml', { 'solr.server.url': 'y' }, false)])
    expect(unknown).to.deep.equal(['solr.server.url'])
    expect(problemsOf([layer('a.xml', { 'db.fetch.retry.max': '-1' }, false)])).to.have.lengthOf(1)
  })

  for (const { name, values, read, expected } of [
    {
      name: 'the value of another property',
      values: { 'db.fetch.interval.default': '60', 'db.fetch.interval.max': reference('db.fetch.interval.default') },
      read: (config: Config) => config.schedule.maxIntervalS,
      expected: 60,
    },
    {
      name: 'the default of another property',
      values: { 'db.fetch.interval.default': reference('db.fetch.interval.max') },
      read: (config: Config) => config.schedule.intervalS,
      expected: 7_776_000,
    },
    {
      name: 'values inside a text',
      values: { 'scoring.depth.max': '7', 'db.fetch.schedule.mime.file': `m-${reference('scoring.depth.max')}.txt` },
      read: (config: Config) => config.schedule.mimeFile,
      expected: 'm-7.txt',
    },
    {
      name: 'a name that no option has as it stands',
      values: { 'db.fetch.schedule.mime.file': `${reference('user.home')}/m.txt` },
      read: (config: Config) => config.schedule.mimeFile,
      expected: `${reference('user.home')}/m.txt`,
    },
  ]) {
    it(`puts ${name} where a reference stands`, () => {
      expect(read(configWith(values))).to.equal(expected)
    })
  }

  it('refuses references that lead back to themselves, however they branch', () => {
    const twice = `${reference('scoring.db.md')}${reference('scoring.content.md')}`
    const problems = problemsOf([layer('-D', { 'scoring.db.md': twice, 'scoring.content.md': twice })])
    expect(problems).to.have.lengthOf(2)
    for (const problem of problems) expect(problem).to.match(/references lead back to itself/)
  })

  it('does not take names from the prototype of objects', () => {
    expect(problemsOf([layer('-D', { constructor: '1', toString: '1' })])).to.have.lengthOf(2)
    expect(problemsOf([layer('a.json', JSON.parse('{"__proto__": 1}'))])).to.deep.equal(['a.json: unknown option __proto__'])
  })
})

describe('suggestion', () => {
  for (const { name, near } of [
    { name: 'injekt', near: ' (did you mean inject?)' },
    { name: 'fetchh', near: ' (did you mean fetch?)' },
    { name: 'update', near: '' },
    { name: '', near: '' },
    { name: 'x'.repeat(100_000), near: '' },
  ]) {
    it(`for ${JSON.stringify(name.slice(0, 20))}: ${near || 'nothing is near'}`, () => {
      expect(suggestion(name, ['inject', 'generate', 'fetch', 'parse'])).to.equal(near)
    })
  }
})
