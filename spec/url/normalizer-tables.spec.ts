import { expect } from 'chai'
import { configWith } from '../../lib/config/resolve-config.js'
import type { UrlScope } from '../../lib/config/url-options.js'
import type { UrlNormalizers } from '../../lib/url/url-normalizers.js'
import { loadNormalizers } from '../../pipelines/url-rules.js'
import { describeCorpus, readCorpus } from '../support/corpus.js'

interface TableCase {
  readonly id: string
  readonly input: string
  readonly expected: string | null
  readonly scope?: UrlScope
  readonly config?: Readonly<Record<string, string>>
}

/** Nutch's default, where Millrace has another. */
const nutchDefaults = { 'urlnormalizer.basic.host.idn': '' }

function casesOf(table: string): readonly TableCase[] {
  const cases = readCorpus<TableCase>(`normalize/${table}.json`)?.cases ?? []
  expect(cases, table).to.have.lengthOf.above(2)
  return cases
}

function normalizersFor(chain: string, config: Readonly<Record<string, string>>): UrlNormalizers {
  return loadNormalizers(configWith({ ...nutchDefaults, ...config }).url, undefined, [chain])
}

function outcome(normalizers: UrlNormalizers, { input, scope = 'default' }: TableCase): string | null {
  const result = normalizers.normalize(input, scope)
  const url = 'url' in result ? result.url : null
  expect(normalizers.explain(input, scope), input).to.include({ accepted: url !== null, url })
  return url
}

describeCorpus('normalizers in corpus/normalize', corpus => {
  const rules = (file: string): string => `${corpus}/normalize/rules/${file}`

  it('basic.json', () => {
    for (const each of casesOf('basic')) expect(outcome(normalizersFor('basic', each.config ?? {}), each), each.id).to.equal(each.expected)
  })

  for (const { table, chain, config } of [
    { table: 'regex-default', chain: 'regex', config: { 'urlnormalizer.regex.file': rules('regex-normalize-default.xml') } },
    { table: 'regex-scope1', chain: 'regex', config: { 'urlnormalizer.regex.file': rules('regex-normalize-scope1.xml') } },
    { table: 'nutch-regex-conf-recorded', chain: 'regex', config: { 'urlnormalizer.regex.file': rules('conf-regex-normalize.xml') } },
    { table: 'querystring', chain: 'querystring', config: {} },
    { table: 'slash', chain: 'slash', config: { 'urlnormalizer.slashes.file': rules('slashes.txt') } },
    { table: 'host', chain: 'host', config: { 'urlnormalizer.hosts.file': rules('hosts.txt') } },
    { table: 'protocol', chain: 'protocol', config: { 'urlnormalizer.protocols.file': rules('protocols.txt') } },
    { table: 'ajax', chain: 'org.apache.nutch.net.urlnormalizer.ajax.AjaxURLNormalizer', config: {} },
  ]) {
    it(`${table}.json, and once more changes nothing`, () => {
      const normalizers = normalizersFor(chain, config)
      for (const each of casesOf(table)) {
        const url = outcome(normalizers, each)
        expect(url, each.id).to.equal(each.expected)
        if (url !== null && table !== 'ajax') expect(outcome(normalizers, { ...each, input: url }), each.id).to.equal(url)
      }
    })
  }

  it('names the lines of protocols.txt that are left out', () => {
    const { warnings } = normalizersFor('protocol', { 'urlnormalizer.protocols.file': rules('protocols.txt') })
    expect(warnings.map(({ reason }) => reason)).to.have.lengthOf(4)
    for (const { file, line } of warnings) expect(file).to.equal(rules('protocols.txt')) && expect(line).to.be.above(1)
  })

  /** Why Nutch's answer differs where the WHATWG parser takes the URL: by what is in the URL, not by what came out. */
  const groups: readonly { readonly why: string; readonly holds: (input: string) => boolean }[] = [
    { why: 'a backslash is a slash', holds: input => input.includes('\\') },
    { why: 'tabs and line ends are no part of a URL', holds: input => /[\t\n\r]/.test(input) },
    { why: 'slashes behind the scheme may be missing or too many', holds: input => /^(?:https?|ftp):(?!\/\/[^/])/i.test(input) },
    { why: 'userinfo ends at the last @', holds: input => /^https?:\/\/[^/]*@[^/]*@/.test(input) },
    { why: 'a host that ends in a number is an IPv4 address', holds: input => /^\d+(?:\.\d+){3}$/.test(new URL(input).hostname) },
    { why: 'IPv6 has one spelling', holds: input => new URL(input).hostname.startsWith('[') },
    { why: 'file: has drive letters, no localhost, no fragment, and hosts without case', holds: input => /^file:/i.test(input) },
  ]
  it('nutch-basic-recorded.json wherever the WHATWG parser takes the URL', () => {
    const normalizers = normalizersFor('basic', {})
    let equal = 0
    for (const each of casesOf('nutch-basic-recorded')) {
      const url = outcome(normalizers, each)
      if (url === each.expected) equal++
      else if (URL.canParse(each.input))
        expect(
          groups.some(({ holds }) => holds(each.input)),
          `${each.id} ${each.input} gave ${url}, Nutch ${each.expected}`,
        ).to.equal(true)
    }
    expect(equal).to.be.above(550)
  })
})
