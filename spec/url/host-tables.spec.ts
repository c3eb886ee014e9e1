import { expect } from 'chai'
import { chooseRepresentative } from '../../lib/fetch/representative-url.js'
import { hostOf, hostSegmentsOf, publicSuffixOf, registeredDomainOf, registrableDomainOf, topLevelOf } from '../../lib/url/hosts.js'
import { hostToAscii, hostToUnicode, type IdnaVersion } from '../../lib/url/idn.js'
import { canonicalUrl, tryNormalizeUrl } from '../../lib/url/normalize-url.js'
import { resolveUrl } from '../../lib/url/resolve-url.js'
import { reverseUrl, unreverseUrl } from '../../lib/url/reversed-url.js'
import { describeCorpus, readCorpus } from '../support/corpus.js'

function each<Case extends { readonly id: string }>(table: string, check: (each: Case) => void): void {
  it(table, () => {
    const cases = readCorpus<Case>(table)?.cases ?? []
    expect(cases).to.have.lengthOf.above(2)
    for (const one of cases) check(one)
  })
}

describeCorpus('hosts in corpus/publicsuffix', () => {
  each<{ id: string; host: string | null; registrable: string | null }>('publicsuffix/test_psl.json', ({ id, host, registrable }) => {
    expect(host === null ? undefined : registrableDomainOf(host, { usesPrivate: true }), id).to.equal(registrable ?? undefined)
  })

  each<{ id: string; host: string; strict: boolean; excludePrivate: boolean; expected: string | null }>(
    'publicsuffix/crawler-commons.json',
    ({ id, host, strict, excludePrivate, expected }) => {
      const domain = registrableDomainOf(host, { usesPrivate: !excludePrivate })
      expect(domain ?? (strict ? undefined : host), id).to.equal(expected ?? undefined)
    },
  )

  /** What Nutch's list library leaves in a suffix: the marks of the rule. */
  const ruleSuffixes: Readonly<Record<string, string>> = { '!city.kawasaki.jp': 'kawasaki.jp', '*.kawasaki.jp': 'y.kawasaki.jp' }
  each<{ id: string; host: string; domain: string | null; suffix: string | null; tld: string | null }>(
    'publicsuffix/nutch-recorded.json',
    ({ id, host, domain, suffix, tld }) => {
      const isName = registrableDomainOf(host) !== undefined || publicSuffixOf(host) !== undefined || host === 'localhost'
      expect(isName ? registeredDomainOf(host) : undefined, id).to.equal(domain ?? undefined)
      expect(publicSuffixOf(host), id).to.equal(suffix === null ? undefined : (ruleSuffixes[suffix] ?? suffix))
      expect(topLevelOf(host), id).to.equal(tld ?? undefined)
    },
  )
})

interface UtilCase {
  readonly id: string
  readonly op: string
  readonly url: string
  readonly reversed: string
  readonly src: string
  readonly dst: string
  readonly temp: boolean
  readonly expected: unknown
}

const utilities: Readonly<Record<string, (one: UtilCase) => unknown>> = {
  getDomainName: ({ url }) => registeredDomainOf(hostOf(url)),
  getDomainSuffix: ({ url }) => publicSuffixOf(hostOf(url)) ?? null,
  getTopLevelDomainName: ({ url }) => topLevelOf(hostOf(url)) ?? null,
  getHostSegments: ({ url }) => hostSegmentsOf(url),
  chooseRepr: ({ src, dst, temp }) => chooseRepresentative(src, dst, temp),
  reverseUrl: ({ url }) => reverseUrl(url),
  unreverseUrl: ({ reversed }) => unreverseUrl(reversed),
}

/** Nutch takes a host under a top level that is not listed as its own domain; here the list's default rule holds, so that such hosts are grouped. */
const underUnlisted: Readonly<Record<string, string>> = { 'example.com.nn': 'com.nn' }

describeCorpus('URL helpers in corpus/normalize', () => {
  each<UtilCase>('normalize/url-util.json', one => {
    const expected = one.op === 'getDomainName' ? (underUnlisted[String(one.expected)] ?? one.expected) : one.expected
    expect(utilities[one.op]?.(one), one.id).to.deep.equal(expected)
  })

  each<{ id: string; input: string; output: string | null }>('normalize/toascii.json', ({ id, input, output }) => {
    const url = tryNormalizeUrl(`https://${input}/x`)
    expect(url === undefined ? null : hostOf(url), id).to.equal(output)
  })

  each<{ id: string; base: string; ref: string; expected: string }>('normalize/resolve.json', ({ id, base, ref, expected }) => {
    expect(resolveUrl(base, ref), id).to.equal(new URL(expected).href)
  })

  each<{ id: string; input: string; output: Readonly<Record<string, string>> }>('normalize/percent-encoding.json', ({ id, input, output }) => {
    expect(resolveUrl('http://a.test/', `?${input}x`), id).to.equal(`http://a.test/?${output['utf-8']}x`)
  })

  each<IdnCase>('normalize/idn.json', checkIdn)

  /** Opaque paths that end in a space: schemes without a host, which are no URLs of a crawl. */
  const opaquePaths = /^non-special:opaque/
  each<{ id: string; input: string; base: string | null; href?: string; failure?: boolean }>(
    'normalize/urltestdata.json',
    ({ id, input, base, href, failure }) => {
      if (opaquePaths.test(input)) return
      expect(resolveUrl(base ?? '', input), `${id} ${input}`).to.equal(failure === true ? undefined : href)
    },
  )
})

interface IdnCase {
  readonly id: string
  readonly op: string
  readonly standard: IdnaVersion
  readonly direction: 'ascii' | 'unicode'
  readonly input: string
  readonly expected: string
  readonly ascii: string
  readonly unicode: string
  readonly roundTrip: boolean
}

function checkIdn({ id, op, standard, direction, input, expected, ascii, unicode, roundTrip }: IdnCase): void {
  if (op === 'convertHost') {
    expect(hostToAscii(unicode, standard), id).to.equal(ascii)
    if (roundTrip) expect(hostToUnicode(ascii, standard), id).to.equal(unicode)
  } else if (op === 'convertHostInvalid') {
    expect(direction === 'ascii' ? hostToAscii(input, standard) : hostToUnicode(input, standard), id).to.equal(undefined)
  } else {
    const converted = canonicalUrl(input, { idn: op === 'toASCII' ? 'toAscii' : 'toUnicode', idna2008: true })
    const canonical = canonicalUrl(expected, { idn: '' })
    expect(converted, id).to.equal(canonical)
  }
}
