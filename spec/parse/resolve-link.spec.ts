import { expect } from 'chai'
import fc from 'fast-check'
import { linkResolver } from '../../lib/parse/resolve-link.js'

const bases = [
  'http://www.example.com/',
  'http://www.example.com/a/b/c.html?q=1/2#f',
  'https://example.org:8443/x/',
  'http://example.org/dir?',
  'http://user:pw@example.org/a/',
  'ftp://ftp.example.org/pub/',
  'file:///srv/a/b',
  'http://[::1]/a',
]

/** What the URL parser of the platform makes of it, in the resolver's words. */
function byPlatform(reference: string, base: string): string | undefined {
  let url: URL
  try {
    url = new URL(reference, base) // not URL.canParse, which answers otherwise for some hosts
  } catch {
    return undefined
  }
  return ['http:', 'https:', 'ftp:', 'file:'].includes(url.protocol) ? url.href : 'scheme'
}

const pieces = fc.constantFrom(
  ...[
    '/',
    '//',
    '.',
    '..',
    '/./',
    '/../',
    '?',
    '#',
    ':',
    '@',
    '%',
    '%2e',
    '%2E%2e',
    '%41',
    '\\',
    ' ',
    '\t',
    '\n',
    '&',
    '=',
    ';',
    "'",
    '"',
    '|',
    '<',
    '^',
    '`',
    '{',
    '~',
    '-',
    '_',
  ],
  ...[
    'http:',
    'https://',
    'HTTP://',
    'ftp://',
    'file:',
    'javascript:',
    'example.com',
    'EXAMPLE.org',
    'a.b',
    'xn--nxasmq6b',
    'xn--a',
    '1.2.3',
    '0x7f.1',
    '1',
    'a',
    'Z',
    '9',
    ':80',
    ':443',
  ],
  ...['é', 'ß', '日本', '\u00ad', '\u200d', '\ud800', '\0', '*', '!', '$', '(', ')', ',', '+', '[', ']'],
)
const references = fc.array(pieces, { maxLength: 8 }).map(parts => parts.join(''))

describe('resolving links', () => {
  it('gives what the URL parser of the platform gives, whichever way it takes', () => {
    fc.assert(
      fc.property(fc.constantFrom(...bases), references, (base, reference) => {
        expect(linkResolver(base).resolve(reference)).to.equal(byPlatform(reference, base))
      }),
      { numRuns: 20_000 },
    )
  })

  it('does so for any text', () => {
    fc.assert(
      fc.property(fc.constantFrom(...bases), fc.string({ unit: 'binary', maxLength: 20 }), (base, reference) => {
        expect(linkResolver(base).resolve(reference)).to.equal(byPlatform(reference, base))
      }),
      { numRuns: 3000 },
    )
  })

  it('refuses a base that is no absolute URL', () => {
    expect(() => linkResolver('/relative')).to.throw(TypeError)
  })
})
