import { expect } from 'chai'
import { InvalidArgumentError } from 'commander'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import {
  collect,
  countLimit,
  definitions,
  durationMs,
  flag,
  instantMs,
  listOption,
  numberOption,
  realNumber,
  requiredArgument,
  textOption,
  wholeNumber,
} from '../../pipelines/cli/option-values.js'

const refused = Symbol('refused')

function outcome(parse: (text: string) => unknown, text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof InvalidArgumentError) return refused
    throw error
  }
}

const noon = Date.UTC(2026, 0, 31, 12)

describe('option values', () => {
  for (const { parse, text, value } of [
    { parse: wholeNumber, text: '0', value: 0 },
    { parse: wholeNumber, text: '5000', value: 5000 },
    { parse: wholeNumber, text: '-1', value: refused },
    { parse: countLimit, text: '-1', value: -1 },
    { parse: countLimit, text: '3', value: 3 },
    { parse: countLimit, text: '-2', value: refused },
    { parse: wholeNumber, text: '1.5', value: refused },
    { parse: wholeNumber, text: '', value: refused },
    { parse: wholeNumber, text: '1e3', value: refused },
    { parse: wholeNumber, text: '99999999999999999999', value: refused },
    { parse: realNumber, text: '-0.5', value: -0.5 },
    { parse: realNumber, text: '1e-3', value: 0.001 },
    { parse: realNumber, text: 'x', value: refused },
    { parse: realNumber, text: ' ', value: refused },
    { parse: realNumber, text: 'Infinity', value: refused },
    { parse: durationMs, text: '250ms', value: 250 },
    { parse: durationMs, text: '90', value: 90_000 },
    { parse: durationMs, text: '1.5h', value: 5_400_000 },
    { parse: durationMs, text: '10m', value: 600_000 },
    { parse: durationMs, text: '30d', value: 2_592_000_000 },
    { parse: durationMs, text: '-1s', value: refused },
    { parse: durationMs, text: '10 m', value: refused },
    { parse: durationMs, text: '1w', value: refused },
    { parse: instantMs, text: '2026-01-31T12:00:00Z', value: noon },
    { parse: instantMs, text: '2026-01-31T12:00:00', value: noon },
    { parse: instantMs, text: '2026-01-31T12:00', value: noon },
    { parse: instantMs, text: '2026-01-31T14:00:00.000+02:00', value: noon },
    { parse: instantMs, text: '2026-01-31 06:00:00-0600', value: noon },
    { parse: instantMs, text: '2026-01-31', value: Date.UTC(2026, 0, 31) },
    { parse: instantMs, text: String(noon), value: noon },
    { parse: instantMs, text: '0', value: 0 },
    { parse: instantMs, text: '-86400000', value: -86_400_000 },
    { parse: instantMs, text: '2026-02-30T00:00:00Z', value: refused },
    { parse: instantMs, text: '2026-13-01', value: refused },
    { parse: instantMs, text: 'tomorrow', value: refused },
    { parse: instantMs, text: 'crawl 12', value: refused },
    { parse: instantMs, text: '31/01/2026', value: refused },
    { parse: instantMs, text: '99999999999999999999', value: refused },
    { parse: instantMs, text: '', value: refused },
  ]) {
    it(`${parse.name}: ${JSON.stringify(text)} is ${value === refused ? 'refused' : String(value)}`, () => {
      expect(outcome(parse, text)).to.equal(value)
    })
  }

  it('are read from the parsed options by their kind', () => {
    const options = { quiet: true, config: 'a.json', now: 5, define: ['a=1', 'b=x=y', 'c='] }
    expect([flag(options, 'quiet'), flag(options, 'force')]).to.deep.equal([true, false])
    expect([textOption(options, 'config'), textOption(options, 'now')]).to.deep.equal(['a.json', undefined])
    expect([numberOption(options, 'now'), numberOption(options, 'config')]).to.deep.equal([5, undefined])
    expect([listOption(options, 'define'), listOption(options, 'config')]).to.deep.equal([['a=1', 'b=x=y', 'c='], []])
    expect(definitions(options)).to.deep.equal({ a: '1', b: 'x=y', c: '' })
    expect(collect('b', ['a'])).to.deep.equal(['a', 'b'])
  })

  for (const pair of ['nothing', '=1', '']) {
    it(`-D ${JSON.stringify(pair)} is refused`, () => {
      expect(() => definitions({ define: [pair] }))
        .to.throw(CrawlError, 'name=value is wanted')
        .with.property('code', 'USAGE')
    })
  }

  it('a missing argument is named', () => {
    expect(requiredArgument(['a'], 0, 'DIR')).to.equal('a')
    expect(() => requiredArgument(['a'], 1, 'URL')).to.throw(CrawlError, 'URL is missing')
  })
})
