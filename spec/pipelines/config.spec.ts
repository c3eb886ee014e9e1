import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { insteadOf } from '../../lib/config/nutch-instead.js'
import { configWith, optionsByProperty } from '../../lib/config/resolve-config.js'
import { optionMarkdown, optionRows, optionSchema, withTable } from '../../pipelines/option-table.js'
import { runCli } from '../support/cli.js'
import { projectRoot } from '../support/paths.js'
import { runCommand } from '../support/run-command.js'
import { failureOf } from '../support/stream-probe.js'
import { useTempFolders } from '../support/temp-folder.js'

interface Row {
  readonly property: string
  readonly value: unknown
  readonly source: string
  readonly text: string
}

const site = (values: Record<string, string>): string =>
  `<configuration>${Object.entries(values)
    .map(([name, value]) => `<property><name>${name}</name><value>${value}</value></property>`)
    .join('')}</configuration>`

describe('millrace config', function () {
  this.timeout(30_000)
  const newFolder = useTempFolders()
  const rowsOf = async (args: readonly string[]): Promise<Map<string, Row>> => {
    const { stdout } = await runCommand(['config', '--json', ...args])
    return new Map(
      stdout
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line) as Row)
        .map(row => [row.property, row]),
    )
  }

  it('prints each option with its value, its source and its text', async () => {
    const rows = await rowsOf([newFolder()])
    expect([...rows.keys()]).to.deep.equal([...optionsByProperty.keys()])
    for (const { property, source, text } of rows.values()) {
      expect(source, property).to.equal('default')
      expect(text, property).to.match(/^\S.*\.$/s)
    }
    const { stdout } = await runCommand(['config', newFolder(), '-D', 'fetcher.server.delay=2'])
    expect(stdout).to.contain('\nfetcher.server.delay = 2 s  (-D)\n    ')
    expect(stdout.trimEnd().split('\n')).to.have.length(2 * optionsByProperty.size)
  })

  it('takes the later of defaults, nutch-site.xml, millrace.config.json, -D, and says where each came from', async () => {
    const folder = newFolder()
    const names = ['http.agent.name', 'http.agent.version', 'http.agent.description', 'http.agent.url'] as const
    const values = (count: number, value: string) => Object.fromEntries(names.slice(0, count).map(name => [name, value]))
    writeFileSync(join(folder, 'nutch-site.xml'), site(values(3, 'site')))
    writeFileSync(join(folder, 'millrace.config.json'), JSON.stringify({ $schema: './schema.json', ...values(2, 'json') }))
    const rows = await rowsOf([folder, '-D', 'http.agent.name=given'])
    expect(names.map(name => [rows.get(name)?.value, rows.get(name)?.source])).to.deep.equal([
      ['given', '-D'],
      ['json', join(folder, 'millrace.config.json')],
      ['site', join(folder, 'nutch-site.xml')],
      [optionsByProperty.get('http.agent.url')?.default, 'default'],
    ])
    const { stdout } = await runCommand(['config', folder, '--changed', '--json', '-D', 'http.agent.name=given'])
    expect(stdout.trimEnd().split('\n')).to.have.length(3)
  })

  it('shows no passwords', async () => {
    const secrets = ['http.proxy.password', 'http.auth.basic', 'index.user'].flatMap(name => ['-D', `${name}=h=u:hunter2`])
    for (const form of [[], ['--json'], ['--changed']]) {
      const { status, stdout, log } = await runCommand(['config', ...form, ...secrets])
      expect(status).to.equal(0)
      expect(stdout + log.join())
        .to.include('***')
        .and.not.include('hunter2')
    }
  })

  it('refuses all unknown names and bad values together, with the nearest known name', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'millrace.config.json'), '{"fetcher.server.delya": 1, "fetcher.threads.fetch": "many"}')
    const run = await runCli(['config', folder, '-D', 'db.fetch.retry.mx=1', '-D', 'http.content.limit=x'])
    expect(run).to.include({ status: 2, stdout: '' })
    for (const part of [
      `${join(folder, 'millrace.config.json')}: unknown option fetcher.server.delya (did you mean fetcher.server.delay?)`,
      'unknown option db.fetch.retry.mx (did you mean db.fetch.retry.max?)',
      'fetcher.threads.fetch = "many"',
      'http.content.limit = "x"',
    ])
      expect(run.stderr).to.contain(part)
  })

  it('lists unknown properties of nutch-site.xml once, with what to use instead', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'nutch-site.xml'), site({ 'plugin.includes': 'x', 'solr.server.url': 'y', 'my.own': 'z' }))
    const { status, stderr } = await runCli(['config', folder, '--changed', '--log-format', 'json'])
    expect(status).to.equal(0)
    const told = stderr
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as { option: string; instead?: string })
    expect(told.map(({ option, instead }) => [option, instead])).to.deep.equal([
      ['plugin.includes', 'urlfilter.order, urlnormalizer.order, scoring.filter.order; own ones by millrace.plugins'],
      ['solr.server.url', 'index --to'],
      ['my.own', undefined],
    ])
  })

  it('knows no replacement for what is an option, and replaces by nothing that is none', () => {
    for (const property of optionsByProperty.keys()) expect(insteadOf(property), property).to.equal(undefined)
    const source = readFileSync(join(projectRoot, 'lib/config/nutch-instead.ts'), 'utf8')
    const named = [...source.matchAll(/', '(.*)'\]/g)].flatMap(([, text = '']) => text.match(/[a-z]+(?:\.[a-z]+)+/g) ?? [])
    expect(named.filter(name => !optionsByProperty.has(name) && name !== 'robots.txt')).to.deep.equal([])
    expect(named).to.have.length.above(5)
  })

  it('takes plugins of a millrace.config.json under either name, but not both', async () => {
    const folder = newFolder()
    const write = (json: object): void => writeFileSync(join(folder, 'millrace.config.json'), JSON.stringify(json))
    for (const plugins of [['./p.mjs', '/q.mjs', 'package'], './p.mjs, /q.mjs,package'])
      for (const name of ['plugins', 'millrace.plugins']) {
        write({ [name]: plugins })
        expect((await rowsOf([folder])).get('millrace.plugins')?.value).to.deep.equal([join(folder, 'p.mjs'), '/q.mjs', 'package'])
      }
    write({ plugins: [], 'millrace.plugins': [] })
    expect(await failureOf(rowsOf([folder])))
      .to.have.property('message')
      .that.contains('plugins and millrace.plugins are one option')
    write({ plugins: [1] })
    expect(await failureOf(rowsOf([folder])))
      .to.have.property('message')
      .that.contains('plugins: a list of modules is wanted')
  })

  describe('--schema', () => {
    const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true })
    const isValid = ajv.compile(optionSchema())

    it('is a JSON schema that has every option with its text', async () => {
      const printed = JSON.parse((await runCommand(['config', '--schema'])).stdout) as { properties: Record<string, { description: string }> }
      expect(printed).to.deep.equal(optionSchema())
      expect(ajv.validateSchema(printed)).to.equal(true)
      for (const { property, text } of optionRows({ origins: new Map() })) expect(printed.properties[property]?.description).to.equal(text)
    })

    it('takes the defaults of all options, also as texts', () => {
      const defaults = [...optionsByProperty].map(([property, field]) => [property, field.default] as const)
      expect(isValid(Object.fromEntries(defaults)), JSON.stringify(isValid.errors)).to.equal(true)
      expect(isValid(Object.fromEntries(defaults.map(([property, value]) => [property, String(value)])))).to.equal(true)
    })

    for (const { json, why } of [
      { json: {}, why: 'nothing' },
      { json: { $schema: './s.json', plugins: ['./p.mjs'] }, why: 'schema and plugins' },
      { json: { 'fetcher.server.delay': '2.5', 'db.ignore.external.links': ' TRUE ', 'http.content.limit': -1 }, why: 'texts' },
      { json: { 'http.agent.version': 2, 'http.allow.address': ['loopback', '10.0.0.0/8'] }, why: 'numbers for text, lists' },
      { json: { 'fetcher.server.min.delay': ['$', '{fetcher.server.delay}'].join('') }, why: 'references' },
      { json: { 'db.fetch.schedule.class': 'org.apache.nutch.crawl.AdaptiveFetchSchedule' }, why: "Nutch's class names" },
    ])
      it(`takes what the program takes: ${why}`, () => {
        const { $schema: _, plugins: __, ...values } = json as Record<string, unknown>
        expect(() => configWith(values)).to.not.throw()
        expect(isValid(json), JSON.stringify(isValid.errors)).to.equal(true)
      })

    for (const json of [
      { 'fetcher.server.dely': 1 },
      { 'fetcher.threads.fetch': 0.5 },
      { 'fetcher.threads.fetch': 'many' },
      { 'millrace.workers': 65 },
      { 'db.ignore.external.links': 'yes' },
      { 'http.allow.address': [1] },
      { 'http.agent.name': null },
    ] as Record<string, unknown>[])
      it(`refuses what the program refuses: ${JSON.stringify(json)}`, () => {
        expect(() => configWith(json))
          .to.throw()
          .with.property('code', 'CONFIG_INVALID')
        expect(isValid(json)).to.equal(false)
      })
  })

  describe('--markdown', () => {
    it('is the table that README has', async () => {
      expect((await runCommand(['config', '--markdown'])).stdout).to.equal(optionMarkdown())
      for (const property of optionsByProperty.keys())
        expect(optionMarkdown()).to.match(new RegExp(`^\\| \`${property.replaceAll('.', '\\.')}\``, 'm'))
    })

    it('is put between its markers and nowhere else', () => {
      const document = 'before\n<!-- options: generated by x -->\nold\n<!-- end of options -->\nafter\n'
      const made = withTable(document)
      expect(made).to.equal(`before\n<!-- options: generated by x -->\n${optionMarkdown()}<!-- end of options -->\nafter\n`)
      expect(withTable(made)).to.equal(made)
      expect(() => withTable('no markers')).to.throw(RangeError)
    })
  })
})
