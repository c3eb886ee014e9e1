import { expect } from 'chai'
import fc from 'fast-check'
import { parseRobots } from '../../lib/robots/parse-robots.js'
import { robotsLimitBytes } from '../../lib/robots/robots-text.js'
import { normalizeUrl } from '../../lib/url/normalize-url.js'

const robots = (...lines: readonly string[]) => parseRobots(Buffer.from(lines.join('\n')))

describe('parseRobots', () => {
  const escapes = robots('User-agent: *', 'Disallow: /*%2F*', 'Disallow: /star%2Aend', 'Disallow: /foo%20bar', 'Disallow: /*s=', 'Disallow: /café')
  const onlyFilters = robots('User-agent: *', 'Allow: /*/filter/page=*/$', 'Disallow: /')
  for (const { rules, path, allowed, why } of [
    { rules: escapes, path: '/a/b', allowed: true, why: 'an escaped slash in a rule is no slash' },
    { rules: escapes, path: '/a%2fb', allowed: false, why: 'the case of escapes does not matter' },
    { rules: escapes, path: '/star*end', allowed: false, why: '%2A is a literal star' },
    { rules: escapes, path: '/star%2aend', allowed: false, why: 'escaped in both' },
    { rules: escapes, path: '/starXend', allowed: true, why: '%2A is no wildcard' },
    { rules: escapes, path: '/foo%20bar', allowed: false, why: 'escaped blank' },
    { rules: escapes, path: '/s/', allowed: true, why: 'no = there' },
    { rules: escapes, path: '/?s=1', allowed: false, why: 'a wildcard reaches into the query' },
    { rules: escapes, path: '/caf%C3%A9', allowed: false, why: 'octets outside ASCII are compared escaped' },
    { rules: escapes, path: '/caf%c3%a9/x', allowed: false, why: 'and so are the URL’s' },
    { rules: onlyFilters, path: '/1/filter/page=5/', allowed: true, why: '$ after a wildcard' },
    { rules: onlyFilters, path: '/1/filter/page=5/x', allowed: false, why: 'not at the end' },
    { rules: onlyFilters, path: '/', allowed: false, why: 'the rest is forbidden' },
  ]) {
    it(`${allowed ? 'allows' : 'forbids'} ${path} (${why})`, () => {
      expect(rules.decide(['testbot'], `http://example.org${path}`).allowed).to.equal(allowed)
    })
  }

  it('knows each character again, in a rule as people write it and in the URL as the crawl stores it and asks for it', () => {
    const special = new Set(['#', '%', '*', '\\']) // a comment, an escape, a wildcard, and a slash in disguise
    const printable = Array.from({ length: 94 }, (_, n) => String.fromCharCode(33 + n)).filter(char => !special.has(char))
    for (const char of printable)
      for (const before of ['/x', '/?f']) {
        const rules = robots('User-agent: *', `Disallow: ${before}${char}y`)
        const url = normalizeUrl(`http://example.org${before}${char}y`)
        for (const asked of [url, new URL(url).href]) expect(rules.decide(['testbot'], asked).allowed, `${before}${char}`).to.equal(false)
      }
  })

  it('passes over a byte order mark wherever a line begins', () => {
    for (const text of ['\ufeff\ufeffUser-agent: *\nDisallow: /', 'User-agent: other\nAllow: /\n\ufeffUser-agent: *\r\n \ufeff Disallow: /'])
      expect(parseRobots(Buffer.from(text)).decide(['testbot'], 'http://h/a').allowed, JSON.stringify(text)).to.equal(false)
  })

  it('takes a no-break space for a blank, and not what only ends like one', () => {
    const rules = robots('\u00a0User-agent:\u00a0testbot\u00a0', '\u00a0\u00a0Disallow\u00a0:\u00a0 /a\u00a0', 'Disallow: /voil\u00e0')
    for (const [path, allowed] of [
      ['/ab', false],
      ['/voil%C3%A0', false],
      ['/voil%C3', true],
    ] as const)
      expect(rules.decide(['testbot'], `http://h${path}`).allowed, path).to.equal(allowed)
  })

  it('names the group, the rule and its line', () => {
    const rules = robots('# hello', 'User-agent: other', 'Disallow: /', '', 'User-Agent: TestBot/1.0', 'Allow: /a/b', 'Disallow: /a   # all of it')
    expect(rules.decide(['testbot'], 'http://example.org/a/c')).to.deep.equal({ allowed: false, group: 'testbot', rule: 'Disallow: /a', line: 7 })
    expect(rules.decide(['testbot'], 'http://example.org/a/b')).to.deep.equal({ allowed: true, group: 'testbot', rule: 'Allow: /a/b', line: 6 })
    expect(rules.decide(['testbot'], 'http://example.org/z')).to.deep.equal({ allowed: true, group: 'testbot', rule: null, line: null })
    expect(rules.decide(['third'], 'http://example.org/z')).to.deep.equal({ allowed: true, group: null, rule: null, line: null })
  })

  it('lets allow win over a rule of equal length, wherever it stands', () => {
    for (const lines of [
      ['Allow: /a', 'Disallow: /a'],
      ['Disallow: /a', 'Allow: /a'],
    ])
      expect(robots('User-agent: *', ...lines).decide(['x'], 'http://h/a').allowed).to.equal(true)
  })

  it('never forbids robots.txt itself', () => {
    expect(robots('User-agent: *', 'Disallow: /').decide(['x'], 'http://h/robots.txt').allowed).to.equal(true)
  })

  for (const { name, bytes } of [
    { name: 'a UTF-8 byte order mark', bytes: Buffer.from('\ufeffUser-agent: *\nDisallow: /') },
    { name: 'CR alone as line end', bytes: Buffer.from('User-agent: *\rDisallow: /\r') },
    { name: 'CRLF', bytes: Buffer.from('User-agent: *\r\nDisallow: /\r\n') },
    { name: 'UTF-16 with a mark', bytes: Buffer.from('\ufeffUser-agent: *\nDisallow: /', 'utf16le') },
    { name: 'NUL bytes between lines', bytes: Buffer.from('\0\0\nUser-agent: *\nDisallow: /\n\0') },
    { name: 'bytes that are no UTF-8 before it', bytes: Buffer.concat([Buffer.from([0xff, 0x80, 0x0a]), Buffer.from('User-agent: *\nDisallow: /')]) },
    { name: 'an HTML page around it', bytes: Buffer.from('<html><body>\nUser-agent: *<br>\nDisallow: /<br>\n</body></html>') },
  ]) {
    it(`is not misled by ${name}`, () => {
      expect(parseRobots(bytes).decide(['x'], 'http://h/x').allowed).to.equal(false)
    })
  }

  it('keeps to the rules of the first 500 KiB', () => {
    const filler = `# ${'x'.repeat(1021)}\n`
    const within = filler.repeat(Math.floor(robotsLimitBytes / filler.length) - 1)
    expect(parseRobots(Buffer.from(`User-agent: *\n${within}Disallow: /a\n`)).decide(['x'], 'http://h/a').allowed).to.equal(false)
    expect(parseRobots(Buffer.from(`User-agent: *\n${within}${filler.repeat(3)}Disallow: /a\n`)).decide(['x'], 'http://h/a').allowed).to.equal(true)
  })

  it('leaves out a rule that the limit cuts in two, and only that', () => {
    const rule = 'Disallow: /denied'
    const head = 'User-agent: *\nDisallow: /early\n'
    const upTo = (lengthBytes: number): string => `${head.padEnd(lengthBytes - 1, '#')}\n`
    for (const { before, allowed, why } of [
      { before: robotsLimitBytes - 'Disallow: /'.length, allowed: true, why: 'cut behind its first character' },
      { before: robotsLimitBytes - rule.length + 1, allowed: true, why: 'cut before its last character' },
      { before: robotsLimitBytes - rule.length, allowed: false, why: 'ended at the limit' },
    ]) {
      const rules = parseRobots(Buffer.from(`${upTo(before)}${rule}\nDisallow: /late\n`))
      const answers = ['/denied', '/early', '/late', '/other'].map(path => rules.decide(['x'], `http://h${path}`).allowed)
      expect(answers, why).to.deep.equal([allowed, false, true, true])
    }
    const whole = parseRobots(Buffer.from(`${upTo(robotsLimitBytes - rule.length)}${rule}`))
    expect(whole.decide(['x'], 'http://h/denied').allowed, 'a file of just 500 KiB').to.equal(false)
  })

  it('takes the Crawl-delay of the agents named before it', () => {
    const rules = robots('User-agent: a', 'Crawl-delay: 1', 'User-agent: b', 'Crawl-delay: 2.5', 'User-agent: c', 'Disallow: /x')
    expect(['a', 'b', 'c'].map(agent => rules.crawlDelayMs([agent]))).to.deep.equal([1000, 2500, undefined])
    expect(['a', 'b', 'c'].map(agent => rules.decide([agent], 'http://h/x').allowed)).to.deep.equal([false, false, false])
    expect(rules.crawlDelayMs(['a', 'b'])).to.equal(2500)
  })

  for (const { value, delayMs } of [
    { value: '10', delayMs: 10_000 },
    { value: '.5', delayMs: 500 },
    { value: '0', delayMs: 0 },
    { value: '-1', delayMs: undefined },
    { value: 'soon', delayMs: undefined },
    { value: '', delayMs: undefined },
  ]) {
    it(`reads Crawl-delay: ${value}`, () => {
      expect(robots('User-agent: *', `Crawl-delay: ${value}`).crawlDelayMs(['x'])).to.equal(delayMs)
    })
  }

  it('answers for any bytes and any URL', () => {
    const pieces = fc.constantFrom(
      'User-agent: *',
      'Disallow: /a*b$',
      'Allow',
      ':',
      '\n',
      '\r',
      '*',
      '$',
      '%',
      '%zz',
      '\ufeff',
      'Sitemap: x',
      '#',
      '<',
      'ü',
      '\0',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 40 }), fc.string(), (parts, url) => {
        const { allowed } = parseRobots(Buffer.from(parts.join(''))).decide(['x'], url)
        expect(allowed).to.be.a('boolean')
      }),
    )
  })

  it('gives the same rules for LF, CRLF and CR', () => {
    const lines = fc.array(
      fc.constantFrom('User-agent: x', 'User-agent: *', 'Disallow: /a', 'Allow: /a/b', 'Crawl-delay: 3', '', '# c', 'Sitemap: /s.xml'),
    )
    fc.assert(
      fc.property(lines, all => {
        const [lf, crlf, cr] = ['\n', '\r\n', '\r'].map(end => parseRobots(Buffer.from(all.join(end))))
        expect(crlf).to.deep.equal(lf)
        expect(cr).to.deep.equal(lf)
      }),
    )
  })
})

describe('matching', () => {
  /** The rule as RFC 9309 states it, by recursion: slow, and plain enough to be believed. */
  function matchesPlainly(pattern: string, path: string): boolean {
    if (pattern === '') return true
    if (pattern === '$') return path === ''
    if (pattern[0] === '*') return [...path, ''].some((_, at) => matchesPlainly(pattern.slice(1), path.slice(at)))
    return pattern[0] === path[0] && path !== '' && matchesPlainly(pattern.slice(1), path.slice(1))
  }

  it('agrees with a plain reading of the RFC', () => {
    const tail = fc.array(fc.constantFrom('a', 'b', '*', '/'), { maxLength: 8 }).map(parts => parts.join(''))
    const path = fc.array(fc.constantFrom('a', 'b', '/'), { maxLength: 10 }).map(parts => `/${parts.join('')}`)
    fc.assert(
      fc.property(tail, fc.boolean(), path, (middle, isAnchored, at) => {
        const pattern = `/${middle}${isAnchored ? '$' : ''}`
        const { allowed } = robots('User-agent: *', `Disallow: ${pattern}`).decide(['x'], `http://h${at}`)
        expect(allowed, `${pattern} and ${at}`).to.equal(!matchesPlainly(pattern, at))
      }),
      { numRuns: 500 },
    )
  })

  it('takes no longer for rules and paths made to be slow', () => {
    const stars = `Disallow: /${'*a'.repeat(4000)}b$\n`
    const piece = `Disallow: /*${'a'.repeat(8000)}b\n`
    const rules = parseRobots(Buffer.from(`User-agent: *\n${stars.repeat(20)}${piece.repeat(20)}`)).forAgents(['x'])
    const startMs = performance.now()
    expect(rules.decide(`http://h/${'a'.repeat(100_000)}`).allowed).to.equal(true)
    expect(performance.now() - startMs).to.be.below(2000)
  })
})
