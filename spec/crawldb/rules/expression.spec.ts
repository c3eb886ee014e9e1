import { expect } from 'chai'
import fc from 'fast-check'
import { datumVariable } from '../../../lib/crawldb/rules/datum-variables.js'
import { compileExpression, type Expression } from '../../../lib/crawldb/rules/expression.js'
import type { CrawlDatum } from '../../../lib/record/records.js'
import { dbDatum } from '../../support/db-datum.js'

function compilePattern(pattern: string): (text: string) => boolean {
  const compiled = new RegExp(pattern)
  return text => compiled.test(text)
}
function compiled(text: string): Expression<CrawlDatum> {
  return compileExpression(text, { variableOf: datumVariable, compilePattern })
}

const datum = dbDatum({
  url: 'http://a.example/dir/page.html',
  status: 'db_fetched',
  fetchTimeMs: 5000,
  modifiedTimeMs: 4000,
  retries: 2,
  fetchIntervalS: 3600,
  score: 0.5,
  signature: Buffer.from('00ff', 'hex'),
  metadata: { _rs_: '36', 'Content-Type': 'text/html', 'nutch.segment.name': 's1', topic: 'tea', lines: 'a\nb' },
})

describe('an expression over a record', () => {
  for (const { text, value } of [
    { text: 'url', value: 'http://a.example/dir/page.html' },
    { text: 'status', value: 'db_fetched' },
    { text: 'fetchTime - modifiedTime', value: 1000 },
    { text: 'retries + interval / 60', value: 62 },
    { text: 'score * 2', value: 1 },
    { text: 'signature', value: '00ff' },
    { text: 'Content_Type', value: 'text/html' },
    { text: 'nutch.segment.name', value: 's1' },
    { text: 'missing', value: undefined },
    { text: 'missing + 1', value: 1 },
    { text: '_rs_ % 10', value: 6 },
    { text: "topic + '!'", value: 'tea!' },
    { text: "'it\\'s' + \"\\u0041\"", value: "it'sA" },
    { text: "score > 0.4 ? 'high' : 'low'", value: 'high' },
    { text: '1 + 2 * 3 - -4', value: 11 },
    { text: '7 div 2 + 7 mod 4', value: 6.5 },
    { text: "missing ?? 'none'", value: 'none' },
    { text: 'max(1, retries, score) + min(4, 3) + abs(-1) + floor(1.9) + round(1.5)', value: 9 },
    { text: 'size(topic) + url.length() + size([1, 2])', value: 35 },
    { text: "url.indexOf('a') + topic.toUpperCase()", value: '7TEA' },
    { text: 'topic.trim().length()', value: 3 },
  ])
    it(`${text} is ${JSON.stringify(value)}`, () => expect(compiled(text).value(datum)).to.equal(value))

  for (const { text, isTrue } of [
    { text: "status == 'db_fetched'", isTrue: true },
    { text: "status eq 'db_fetched' and score ge 0.5", isTrue: true },
    { text: "status != 'db_fetched' || not (retries lt 3)", isTrue: false },
    { text: "!(status ne 'db_gone') or interval gt 60", isTrue: true },
    { text: 'retries le 1', isTrue: false },
    { text: '_rs_ > 5', isTrue: true },
    { text: "_rs_ == 36 && _rs_ == '36'", isTrue: true },
    { text: "_rs_ > '5'", isTrue: false },
    { text: 'missing > 0', isTrue: false },
    { text: 'missing < 0', isTrue: false },
    { text: 'missing == null', isTrue: true },
    { text: 'missing == 0', isTrue: false },
    { text: 'topic > 1', isTrue: false },
    { text: "url =~ '.*\\.html'", isTrue: true },
    { text: "url =~ 'html'", isTrue: false },
    { text: "url =~ '.*x\\.html|.*e\\.html'", isTrue: true },
    { text: "url !~ '.*\\.pdf'", isTrue: true },
    { text: 'topic =~ ["coffee", "tea"]', isTrue: true },
    { text: 'topic !~ ["coffee"]', isTrue: true },
    { text: 'topic =~ topic', isTrue: true },
    { text: "topic =~ missing + '('", isTrue: false },
    { text: "url =^ 'http:' && url =$ '.html' && url !^ 'https' && url !$ '.pdf'", isTrue: true },
    { text: "url.startsWith('http://a.') && url.contains('/dir/') && url.endsWith('html') && topic.equals('tea')", isTrue: true },
    { text: "url.matches('.*page.*')", isTrue: true },
    { text: 'empty(missing) && !empty(topic)', isTrue: true },
    { text: 'score', isTrue: false },
    { text: "'true'", isTrue: false },
    { text: 'score && true', isTrue: true },
    { text: 'score - 0.5 || missing', isTrue: false },
  ])
    it(`${text} is ${isTrue}`, () => expect(compiled(text).test(datum)).to.equal(isTrue))

  it('does not look at the other side where one decides', () => {
    const seen: string[] = []
    const variableOf = (name: string) => () => {
      seen.push(name)
      return true
    }
    compileExpression('a || b', { variableOf, compilePattern }).test({})
    expect(seen).to.deep.equal(['a'])
  })

  for (const { text, reason } of [
    { text: ' ', reason: 'expression is empty' },
    { text: 'score >', reason: 'expression cannot be used' },
    { text: 'score > 1; url', reason: 'more than one expression' },
    { text: "url =~ 'a('", reason: 'expression cannot be used' },
    { text: 'exit()', reason: 'no function exit; there are size' },
    { text: "url.constructor('x')", reason: 'no method constructor; there are matches, startsWith' },
    { text: "url['constructor']('x')", reason: 'no method […]' },
    { text: "url['length']", reason: '[…] behind a value is not understood' },
    { text: "'a'.length", reason: '.length behind a value is not understood' },
    { text: 'toString()', reason: 'no function toString' },
    { text: '__proto__()', reason: 'no function __proto__' },
    { text: 'score | 1', reason: 'operator | is not understood' },
    { text: '~score', reason: 'operator ~ is not understood' },
    { text: 'this', reason: 'ThisExpression is not understood' },
    { text: '[1,,2]', reason: 'an element of a list is missing' },
    { text: `${'('.repeat(9000)}1`, reason: 'expression cannot be used' },
    { text: `1${' + 1'.repeat(3000)}`, reason: 'longer than 10000 characters' },
  ])
    it(`refuses ${text.slice(0, 40)}`, () => {
      expect(() => compiled(text))
        .to.throw(reason)
        .with.property('code', 'USAGE')
    })

  it('cannot reach anything but variables through names of prototypes', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'constructor.constructor', 'url.constructor', 'url.__proto__'])
      expect(compiled(name).value(datum), name).to.equal(undefined)
  })

  it('throws nothing when it runs, and gives plain values only', () => {
    const leaf = fc.constantFrom('url', 'score', 'missing', '_rs_', "'x('", '3', 'true', 'null', "['tea', 1]", 'topic', '0')
    const operator = fc.constantFrom('+', '-', '*', '/', '%', '==', '!=', '<', '>=', '&&', '||', '=^', '=$', '??', '=~', 'and', 'eq')
    const tree = fc.letrec<{ node: string }>(tie => ({
      node: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.tuple(tie('node'), operator, tie('node')).map(([a, op, b]) => `(${a} ${op} ${op === '=~' ? `(${b})` : b})`),
        fc.tuple(fc.constantFrom('-', '!', 'not '), tie('node')).map(([op, a]) => `${op}(${a})`),
        fc.tuple(tie('node'), tie('node'), tie('node')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
        fc.tuple(fc.constantFrom('size', 'empty', 'abs', 'max'), tie('node')).map(([name, a]) => `${name}(${a})`),
      ),
    })).node
    fc.assert(
      fc.property(tree, text => {
        let expression: Expression<CrawlDatum>
        try {
          expression = compiled(text)
        } catch (error) {
          expect(error).to.have.property('code', 'USAGE') // a literal that is no pattern
          return
        }
        const value = expression.value(datum)
        expect(['string', 'number', 'boolean', 'undefined'].includes(typeof value) || Array.isArray(value)).to.equal(true)
        expect(expression.test(datum)).to.equal(value === true)
      }),
      { numRuns: 1000 },
    )
  })
})
