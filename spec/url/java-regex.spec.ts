import { expect } from 'chai'
import fc from 'fast-check'
import { StepLimitError } from '../../lib/url/regex/backtrack.js'
import { JavaPattern } from '../../lib/url/regex/java-pattern.js'
import { MultiDfa } from '../../lib/url/regex/multi-dfa.js'
import { RegexSyntaxError } from '../../lib/url/regex/regex-error.js'

function found(pattern: string, text: string): string | undefined {
  const captures = new JavaPattern(pattern).find(text)
  return captures === undefined ? undefined : text.slice(captures[0], captures[1])
}

describe('patterns of java.util.regex', () => {
  for (const { pattern, text, match, why } of [
    { pattern: 'a|ab', text: 'ab', match: 'a', why: 'the first alternative that works' },
    { pattern: 'a+?b*', text: 'aabb', match: 'a', why: 'lazy' },
    { pattern: 'a++a', text: 'aaa', match: undefined, why: 'possessive gives nothing back' },
    { pattern: '(?>a|ab)c', text: 'abc', match: undefined, why: 'atomic' },
    { pattern: '(a)(b)?\\2', text: 'a', match: undefined, why: 'a group that took no part matches nothing, other than in JavaScript' },
    { pattern: '(/[^/]+)/x\\1', text: '/ab/x/ab', match: '/ab/x/ab', why: 'back reference' },
    { pattern: '(?<s>\\w)\\k<s>', text: 'abccd', match: 'cc', why: 'named group' },
    { pattern: '(?i)ab(?-i)C', text: 'aBC', match: 'aBC', why: 'flags on and off' },
    { pattern: '(?i)ä', text: 'Ä', match: undefined, why: 'case is ASCII without (?u)' },
    { pattern: 'a(?i:b)c', text: 'aBc', match: 'aBc', why: 'flags of a group' },
    { pattern: '(?x) a b # comment', text: 'ab', match: 'ab', why: 'free spacing' },
    { pattern: '\\Qa.b\\E+', text: 'a.bb', match: 'a.bb', why: 'quoted, the last character repeated' },
    { pattern: '[a-z&&[^aeiou]]+', text: 'aebcd', match: 'bcd', why: 'intersection of classes' },
    { pattern: '[a[0-9]]+', text: 'x1a2', match: '1a2', why: 'union of classes' },
    { pattern: '[]a]', text: ']', match: ']', why: 'a bracket first in a class stands for itself' },
    { pattern: '[^\\w.-]', text: 'a-.!', match: '!', why: 'a hyphen last in a class stands for itself' },
    { pattern: '\\p{Alpha}+\\P{Alpha}', text: 'ab1', match: 'ab1', why: 'POSIX class' },
    { pattern: '\\p{IsGreek}+', text: 'xλόγοςx', match: 'λόγος', why: 'script' },
    { pattern: '\\x41\\u0042\\x{43}\\0104', text: 'ABCD', match: 'ABCD', why: 'characters by number' },
    { pattern: 'a$', text: 'a\n', match: 'a', why: '$ before the last line end' },
    { pattern: 'a\\z', text: 'a\n', match: undefined, why: '\\z at the very end' },
    { pattern: '(?m)^b$', text: 'a\nb\nc', match: 'b', why: 'lines' },
    { pattern: 'a.b', text: 'a\nb', match: undefined, why: 'a dot stops at line ends' },
    { pattern: '(?s)a.b', text: 'a\nb', match: 'a\nb', why: 'or does not' },
    { pattern: '^.$', text: '💩', match: '💩', why: 'a character beyond the BMP is one' },
    { pattern: '(?<!:)/{2,}', text: 'http://a//b', match: '//', why: 'look-behind' },
    { pattern: '(?<=a{1,3})b', text: 'aab', match: 'b', why: 'look-behind of bounded length' },
    { pattern: 'a(?=b)(?!bc)', text: 'abc', match: undefined, why: 'look-ahead' },
    { pattern: '\\bsid=', text: 'x?sid=', match: 'sid=', why: 'word boundary' },
    { pattern: '(a*)*b', text: 'aaab', match: 'aaab', why: 'a loop that may be empty' },
    { pattern: '(?:(?>(a))b|ac)\\1', text: 'aca', match: undefined, why: 'what an atomic group captured is forgotten with it' },
    { pattern: '(?:(?=(a))ab|ac)\\1', text: 'aca', match: undefined, why: 'and what a look-ahead captured' },
    { pattern: '(?=(a+))\\1b', text: 'aab', match: 'aab', why: 'which counts while it holds' },
    { pattern: '(a|b*)*', text: 'ba', match: 'ba', why: 'a loop over a loop' },
    { pattern: 'x{2,3}y{0}', text: 'xxxx', match: 'xxx', why: 'counts' },
    { pattern: '', text: 'a', match: '', why: 'nothing is found everywhere' },
  ]) {
    it(`${JSON.stringify(pattern)} finds ${JSON.stringify(match)} in ${JSON.stringify(text)}: ${why}`, () =>
      expect(found(pattern, text)).to.equal(match))
  }

  for (const { pattern, reason } of [
    { pattern: '(a', reason: /\( is not closed/ },
    { pattern: 'a)', reason: /\) without \(/ },
    { pattern: '[a', reason: /\[ is not closed/ },
    { pattern: '*a', reason: /\* repeats nothing/ },
    { pattern: 'a{2', reason: /counts/ },
    { pattern: 'a{3,2}', reason: /below the least/ },
    { pattern: '\\1(a)', reason: /no group 1/ },
    { pattern: '(?<=a*)b', reason: /no greatest length/ },
    { pattern: '\\Gx', reason: /\\G has no equivalent/ },
    { pattern: '(?u)x', reason: /flag u has no equivalent/ },
    { pattern: '\\p{InNothing}', reason: /InNothing/ },
    { pattern: '(?:(?:a{1000}){1000}){1000}', reason: /too large/ },
    { pattern: 'a\\', reason: /backslash at the end/ },
    { pattern: '[z-a]', reason: /order/ },
    { pattern: '('.repeat(5000), reason: /nested/ },
  ]) {
    it(`refuses ${pattern.slice(0, 30)}`, () => expect(() => new JavaPattern(pattern)).to.throw(RegexSyntaxError, reason))
  }

  it('replaces as Matcher.replaceAll does', () => {
    const replace = (pattern: string, replacement: string, text: string): string => {
      const compiled = new JavaPattern(pattern)
      return compiled.replaceAll(text, compiled.template(replacement))
    }
    expect(replace('(a)(b)?', '[$2|$1]', 'ab a')).to.equal('[b|a] [|a]')
    expect(replace('(a)', '$10\\$\\\\', 'a')).to.equal('a0$\\')
    expect(replace('(?<x>b)', `$${'{x}'}-`, 'abc')).to.equal('ab-c')
    expect(replace('x*', '-', 'axb')).to.equal('-a--b-')
    expect(() => new JavaPattern('a').template('$1')).to.throw(RegexSyntaxError, /group 1/)
    expect(() => new JavaPattern('a').template(`$${'{y}'}`)).to.throw(RegexSyntaxError, /y/)
    expect(() => new JavaPattern('a').template('$')).to.throw(RegexSyntaxError)
  })
})

/** Patterns that mean the same in Java and in JavaScript. */
const { pattern: commonPattern } = fc.letrec<{ pattern: string; atom: string }>(tie => ({
  atom: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('a', 'b', 'c', '/', '.', '[ab]', '[^a]', '\\w', '\\b', '^', '$', '(?=a)', '(?!b)', '(?<=a)', '(?<!b)'),
    tie('pattern').map(inner => `(?:${inner})`),
    tie('pattern').map(inner => `(${inner})`),
    fc
      .tuple(fc.constantFrom('a', '[bc]', '.', '(?:ab)', '(a|b)'), fc.constantFrom('*', '+', '?', '*?', '+?', '{2}', '{1,2}', '{0,2}?'))
      .map(parts => parts.join('')),
  ),
  pattern: fc.oneof(
    { depthSize: 'small' },
    fc.array(tie('atom'), { minLength: 1, maxLength: 4 }).map(atoms => atoms.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map(options => options.join('|')),
  ),
}))
const texts = fc.stringMatching(/^[abc/]{0,12}$/)

describe('patterns against the platform', () => {
  it('find what JavaScript finds', () => {
    fc.assert(
      fc.property(commonPattern, texts, (pattern, text) => {
        const expected = new RegExp(pattern).exec(text)
        const captures = new JavaPattern(pattern).find(text)
        expect(captures?.slice(0, 2)).to.deep.equal(expected === null ? undefined : [expected.index, expected.index + expected[0].length])
      }),
      { numRuns: 500 },
    )
  })

  it('are found together by one automaton where each is found alone', () => {
    fc.assert(
      fc.property(fc.array(commonPattern, { minLength: 1, maxLength: 5 }), texts, (sources, text) => {
        const patterns = sources.map(source => new JavaPattern(source))
        const { exact, candidates } = new MultiDfa(patterns).match(text)
        const first = patterns.findIndex(pattern => pattern.test(text))
        const decided = [...candidates, ...(exact < 0 ? [] : [exact])].find(index => (patterns[index] as JavaPattern).test(text)) ?? -1
        expect(decided).to.equal(first)
        expect(first).to.equal(sources.findIndex(source => new RegExp(source).test(text)))
      }),
      { numRuns: 500 },
    )
  })
})

describe('bounds on patterns', () => {
  const long = `http://a.example/${'a'.repeat(30_000)}`
  for (const pattern of [
    '(a+)+$b',
    '(a|a)*b$',
    '(.*)*!',
    '(?:a?){30}a{30}x',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(?i)(\\w+\\s?)*!',
    '(?=(a+)+b)c',
    '\\b(a+)+\\b!',
  ]) {
    it(`${pattern} answers at once about ${long.length} characters`, () => {
      const compiled = new JavaPattern(pattern)
      const startMs = performance.now()
      try {
        if (compiled.isExact) expect(new MultiDfa([compiled]).match(long).exact).to.equal(-1)
        else expect(compiled.test(long)).to.equal(false)
      } catch (error) {
        expect(error).to.be.instanceOf(StepLimitError)
      }
      expect(performance.now() - startMs).to.be.below(1000)
    })
  }

  it('gives up on back references after the steps it has', () => {
    const text = `http://a.example/${Array.from({ length: 400 }, (_, number) => number.toString(36)).join('/')}`
    expect(() => new JavaPattern('.*(/.+?)/.*?\\1/.*?\\1/').test(text)).to.throw(StepLimitError)
    expect(new JavaPattern('.*(/[^/]+)/[^/]+\\1/[^/]+\\1/').test(text)).to.equal(false)
  })

  it('forgets states rather than grow without end', () => {
    const automaton = new MultiDfa([new JavaPattern('a.{12}b.{12}c')])
    const text = (seed: number): string => Array.from({ length: 300 }, (_, index) => 'abc'[(index * index * seed + index) % 3]).join('')
    for (let seed = 1; seed < 200; seed++) {
      const expected = /a.{12}b.{12}c/.test(text(seed)) ? 0 : -1
      expect(automaton.match(text(seed)).exact).to.equal(expected)
    }
  })
})
