import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { configWith } from '../../lib/config/resolve-config.js'
import type { UrlFilters } from '../../lib/url/url-filters.js'
import { loadFilters } from '../../pipelines/url-rules.js'
import { describeCorpus, readCorpus } from '../support/corpus.js'

interface FilterCase {
  readonly id: string
  readonly url: string | null
  readonly accept: boolean
  readonly rules?: string
  readonly rulesMissing?: boolean
  readonly rulesText?: string
  readonly config?: Readonly<Record<string, string>>
}
interface FilterTable {
  readonly plugin: string
  readonly rules?: string
  readonly cases: readonly FilterCase[]
}

const tables = [
  'automaton-Benchmarks',
  'automaton-IntranetCrawling',
  'automaton-WholeWebCrawling',
  'domain',
  'domaindenylist',
  'fast-Benchmarks',
  'fast-test',
  'prefix',
  'regex-Benchmarks',
  'regex-IntranetCrawling',
  'regex-WholeWebCrawling',
  'regex-nutch1838',
  'suffix',
  'validator',
]

function filtersFor(name: string, path: string | undefined, config: Readonly<Record<string, string>> = {}): UrlFilters {
  const file = path === undefined || name === 'validator' ? {} : { [`urlfilter.${name}.file`]: path }
  return loadFilters(configWith({ ...file, ...config }).url, undefined, [`urlfilter-${name}`])
}

function expectDecision(filters: UrlFilters, url: string, accepted: boolean, id: string): void {
  expect(filters.accepts(url), id).to.equal(accepted)
  const decision = filters.explain(url)
  expect(decision.accepted, id).to.equal(accepted)
  if (!accepted) expect(decision.steps[0], id).to.include({ before: url, after: null })
}

describeCorpus('filters in corpus/filter', corpus => {
  const folder = `${corpus}/filter`
  for (const name of tables) {
    it(`${name}.json`, () => {
      const table = JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8')) as FilterTable // test data, read as documented in its form
      const plugin = table.plugin.replace('urlfilter-', '')
      const compiled = new Map<string, UrlFilters>()
      for (const { id, url, accept, rules = table.rules, rulesMissing, rulesText, config } of table.cases) {
        const path = rulesMissing === true ? `${folder}/no-such-file` : rules === undefined ? undefined : `${folder}/${rules}`
        const key = `${path} ${rulesText} ${JSON.stringify(config)}`
        const filters = compiled.get(key) ?? filtersFor(plugin, rulesText === undefined ? path : undefined, config)
        compiled.set(key, filters)
        expectDecision(filters, url ?? '', accept, id)
      }
    })
  }

  it('nutch-conf-recorded.json, with the rule files of Nutch unchanged', () => {
    const table = readCorpus<Readonly<Record<string, boolean>> & { id: string; url: string }>('filter/nutch-conf-recorded.json')
    for (const name of ['regex', 'automaton', 'suffix', 'prefix', 'fast', 'validator'] as const) {
      const filters = filtersFor(name, `${folder}/rules/conf-${name}-urlfilter.txt`)
      for (const each of table?.cases ?? []) expectDecision(filters, each.url, each[name] as boolean, `${name} ${each.id}`)
    }
  })

  for (const file of ['creativecommons-crawl-urlfilter.txt', 'stormcrawler-default-regex-filters.txt']) {
    it(`loads ${file}`, () => {
      const filters = filtersFor('regex', `${folder}/rules/${file}`)
      expectDecision(filters, 'http://a.example/page.html', true, file)
      expectDecision(filters, 'ftp://a.example/page.html', false, file)
      expectDecision(filters, 'http://a.example/logo.gif', false, file)
    })
  }
})
