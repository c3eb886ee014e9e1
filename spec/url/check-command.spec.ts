import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { normalizeUrl } from '../../lib/url/normalize-url.js'
import { runCli } from '../support/cli.js'
import { withTempFolder } from '../support/temp-folder.js'

const lines = (...texts: readonly string[]): string => texts.map(text => `${text}\n`).join('')
const now = ['--now', '2026-01-31T00:00:00Z']

describe('millrace normalize', () => {
  it('gives records for URLs, seeds and records, in order, without those that are no URLs', async () => {
    const record = { status: 'db_fetched', fetchTimeMs: 1, modifiedTimeMs: 0, retries: 0, fetchIntervalS: 60, score: 2, metadata: {} }
    const stdin = lines(
      'HTTP://A.test',
      '',
      '# comment',
      'mailto:x',
      'http://b.test/x/../y\tnutch.score=2\tcolour=red',
      `http://c.test/#top\t${JSON.stringify(record)}`,
    )
    const result = await runCli(['normalize', ...now], { stdin })
    expect(result.status, result.stderr).to.equal(0)
    const seed = {
      status: 'injected',
      fetchTimeMs: Date.UTC(2026, 0, 31),
      modifiedTimeMs: 0,
      retries: 0,
      fetchIntervalS: 2_592_000,
      score: 1,
      metadata: {},
    }
    const records = result.records()
    expect(records.map(({ key }) => key)).to.deep.equal(['http://a.test/', 'http://b.test/y', 'http://c.test/'])
    expect(records[0]?.value).to.deep.include({ ...seed, fetchTimeMs: records[0]?.value.fetchTimeMs })
    expect(records[1]?.value).to.deep.include({ score: 2, metadata: { colour: 'red' } })
    expect(records[2]?.value).to.deep.equal(record)
    expect(result.stderr)
      .to.match(/accepted.?=?.?3/)
      .and.match(/rejected.?=?.?1/)
  })

  it('explains each line, keyed as given, with JSON strings for what a line cannot hold', async () => {
    const inputs = [' HTTP://A.test/b;jsessionid=1 ', 'http://a.\ttest/', 'x', '']
    const result = await runCli(['normalize', '--explain', '--input', 'json', '-'], { stdin: lines(...inputs.map(input => JSON.stringify(input))) })
    const records = result.records<{
      accepted: boolean
      url: string | null
      steps: readonly { rule: string; file: string; line: number; before: string; after: string | null }[]
    }>()
    expect(records.map(({ key }) => JSON.parse(key))).to.deep.equal(inputs)
    expect(records.map(({ value }) => value.url)).to.deep.equal(['http://a.test/b', 'http://a.test/', null, null])
    expect(records[0]?.value.steps.map(({ before, after }) => [before, after])).to.deep.equal([
      [inputs[0], 'http://a.test/b;jsessionid=1'],
      ['http://a.test/b;jsessionid=1', 'http://a.test/b'],
    ])
    expect(records[0]?.value.steps[1]).to.include({ file: 'fixtures/rules/regex-normalize.xml' }).and.have.property('line').above(1)
    expect(records[2]?.value).to.deep.include({ accepted: false })
  })

  it('refuses what it cannot do before it reads', async () => {
    const unknown = await runCli(['normalize', '--chain', 'basik', 'http://a.test/'])
    expect(unknown.status).to.equal(2)
    expect(unknown.stderr).to.match(/did you mean basic/)
    const missing = await runCli(['normalize', '--rules', '/no/such.xml', 'http://a.test/'])
    expect(missing.status).to.equal(2)
    expect(missing.stderr).to.include('/no/such.xml')
  })
})

describe('millrace filter', () => {
  it('keeps accepted lines in order, and explains with file and line', () =>
    withTempFolder(async folder => {
      const rules = join(folder, 'rules.txt')
      writeFileSync(rules, '# rules\n-\\.gif$\n+^http://a\\.\n')
      const stdin = lines('http://a.test/1', 'http://a.test/x.gif', 'http://b.test/', 'http://a.test/2\tk=v')
      const kept = await runCli(['filter', '--rules', rules], { stdin })
      expect(kept.status, kept.stderr).to.equal(0)
      expect(kept.records().map(({ key }) => key)).to.deep.equal(['http://a.test/1', 'http://a.test/2'])
      const explained = await runCli(['filter', '--rules', rules, '--explain'], { stdin })
      const decisions = explained.records<{ accepted: boolean; steps: readonly object[] }>()
      expect(decisions.map(({ key, value }) => [key, value.accepted])).to.deep.equal([
        ['http://a.test/1', true],
        ['http://a.test/x.gif', false],
        ['http://b.test/', false],
        ['http://a.test/2', true],
      ])
      expect(decisions[1]?.value.steps).to.deep.equal([{ rule: '-\\.gif$', file: rules, line: 2, before: 'http://a.test/x.gif', after: null }])
    }))

  it('names a rule file and its line that cannot be used', () =>
    withTempFolder(async folder => {
      const rules = join(folder, 'rules.txt')
      writeFileSync(rules, '+.\n-(a\n')
      const result = await runCli(['filter', '--rules', rules, 'http://a.test/'])
      expect(result.status).to.equal(2)
      expect(result.stderr).to.include(`${rules}:2`).and.include('( is not closed')
      expect(result.stdout).to.equal('')
    }))

  it('takes what normalize gives, without loss', async () => {
    const urls = Array.from({ length: 3000 }, (_, index) => `HTTP://host${index}.test/${'x'.repeat(index % 50)}?q=${index}`)
    const normalized = await runCli(['normalize', '-q'], { stdin: lines(...urls) })
    const filtered = await runCli(['filter', '-q'], { stdin: normalized.stdout })
    expect(filtered.stdout).to.equal(normalized.stdout)
    expect(filtered.records().map(({ key }) => key)).to.deep.equal(urls.map(url => normalizeUrl(url)))
  })
})
