import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { isCrawlError, messageOf } from '../../lib/errors/crawl-error.js'
import { runCli } from '../support/cli.js'
import { runCommand } from '../support/run-command.js'
import { acceptAll, jsonLinesOf, linesOf, useSmallSite } from '../support/small-site.js'
import { failureOf } from '../support/stream-probe.js'
import { useTempFolders } from '../support/temp-folder.js'

describe('plugins that fail', function () {
  this.timeout(30_000)
  const newFolder = useTempFolders()
  const site = useSmallSite()

  /** Writes a module with these exports, and gives the arguments that load it. */
  function moduleOf(text: string): { readonly file: string; readonly args: readonly string[] } {
    const file = join(newFolder(), 'own.mjs')
    writeFileSync(file, `export const apiVersion = 1\n${text}\n`)
    return { file, args: ['-D', `millrace.plugins=${file}`] }
  }

  const bad = (point: string, name: string, fn: string) =>
    moduleOf(
      `export const ${point} = { name: '${name}', ${fn}(given) { if (JSON.stringify(given).includes('near')) throw new Error('not today'); return given } }`,
    )

  for (const { point, fn, more } of [
    { point: 'normalizer', fn: 'normalize', more: '' },
    { point: 'urlFilter', fn: 'accepts', more: '' },
  ])
    for (const workers of [0, 1])
      it(`${point}: its URLs are rejected and counted, with ${workers} worker threads${more}`, async () => {
        const folder = newFolder()
        const text = `export const ${point} = { name: 'bad', ${fn}(url) { if (url.includes('near')) throw new Error('not today'); return ${point === 'normalizer' ? 'url' : 'true'} } }`
        const counts = await site.crawl(folder, '--workers', String(workers), ...moduleOf(text).args)
        expect(await site.statuses(folder)).to.have.all.keys('/', '/deep/er/page', '/calendar/2031')
        expect(counts['plugin/failed/bad']).to.be.above(0)
      })

  it('normalizer, urlFilter: refilter deletes no record for them', async () => {
    const folder = newFolder()
    await runCommand(['inject', folder, '-', ...acceptAll], { stdin: 'http://a.test/near\nhttp://a.test/far\n' })
    for (const module of [
      moduleOf("export const urlFilter = { name: 'bad', accepts() { throw new Error('not today') } }"),
      moduleOf("export const normalizer = { name: 'bad', normalize() { throw new Error('not today') } }"),
    ]) {
      const report = (await runCommand(['refilter', folder, '--normalize', ...acceptAll, ...module.args])).json()
      expect(report).to.include({ dropped: 0, errors: 2 })
    }
    expect(linesOf(await runCommand(['readdb', folder, '--dump', '--format', 'json']))).to.have.length(2)
  })

  it('parseFilter: the parse of the page fails', async () => {
    const folder = newFolder()
    const { args, file } = moduleOf(
      "export const parseFilter = { name: 'bad', filter(parse) { if (parse.url.endsWith('near')) throw new Error('not today') } }",
    )
    const counts = await site.crawl(folder, ...args)
    expect(counts).to.include({ 'plugin/failed/bad': 1, 'parse/failed': 1 })
    expect((await site.statuses(folder))['/near']).to.equal('db_parse_failed')
    const names = jsonLinesOf(await runCommand(['readseg', folder, '--list', '--json'])).map(({ segment, name }) => String(segment ?? name))
    const dumps = await Promise.all(names.map(name => runCommand(['readseg', folder, name, '--dump', '--json'])))
    expect(dumps.map(({ stdout }) => stdout).join('')).to.contain(`plugin: bad: parseFilter bad of ${file}: filter: not today`)
  })

  it('indexingFilter: the document is left out and counted', async () => {
    const folder = newFolder()
    await site.crawl(folder)
    const { args, file } = bad('indexingFilter', 'bad', 'filter')
    const run = await runCommand(['index', folder, '--delete', ...args])
    expect(jsonLinesOf(run).map(({ id }) => String(id).slice(site.server.origin().length))).to.have.members(['/deep/er/page', '/calendar/2031'])
    // The home page is left out too: it links to /near.
    expect(run.log.at(-1)).to.contain('"index/skip/plugin_failed":2').and.to.contain('"plugin/failed/bad":2')
    expect(run.log.join('\n')).to.contain(`indexingFilter bad of ${file}: filter: not today`)
  })

  it('stage: the stage fails', async () => {
    const { args, file } = moduleOf(
      "export const stage = { name: 'bad', async *run(lines) { for await (const line of lines) { yield line; throw new Error('not today') } } }",
    )
    const run = await runCli(['stage', 'bad', ...args], { stdin: 'http://a.test/\t{}\nhttp://b.test/\t{}\n' })
    expect(run.status).to.equal(3)
    expect(run.stdout).to.equal('http://a.test/\t{}\n')
    expect(run.stderr).to.contain(`PLUGIN_FAILED: stage bad of ${file}: run: not today`)
  })

  it('stage: so does one that gives no line; what stands before it keeps its own error', async () => {
    const wrong = moduleOf("export const stage = { name: 'bad', *run() { yield { key: 'a\\tb', value: {} } } }")
    expect(await failureOf(runCommand(['stage', 'bad', ...wrong.args]))).to.have.property('code', 'PLUGIN_FAILED')
    const right = moduleOf("export const stage = { name: 'good', async *run(lines) { yield* lines } }")
    const unreadable = runCommand(['stage', 'good', '--strict', ...right.args], { stdin: 'http://a.test/\t{no json\n' })
    expect(await failureOf(unreadable)).to.have.property('code', 'LINE_INVALID')
  })

  for (const workers of [0, 1])
    it(`scoring: the job stops, what was saved stays, and it goes on when the plugin is mended, with ${workers} worker threads`, async () => {
      const [folder, other] = [newFolder(), newFolder()]
      const distribute = 'distribute(page, links) { return links.map(link => ({ ...link, score: 0.25 })) }'
      const broken = moduleOf(`export const scoring = { name: 'own', distribute(page, links) { throw new Error('not today') } }`)
      const run = () => site.crawl(folder, '--workers', String(workers), ...broken.args)
      const failure = await failureOf(run())
      expect(failure).to.satisfy((error: unknown) => isCrawlError(error, 'PLUGIN_FAILED'))
      expect(messageOf(failure)).to.equal(`scoring own of ${broken.file}: distribute: not today`)
      expect(await site.statuses(folder)).to.deep.equal({ '/': 'db_unfetched' })
      // A process imports a module once: the mended one has another name here.
      const mended = moduleOf(`export const scoring = { name: 'own', ${distribute} }`)
      await site.crawl(folder, '--workers', String(workers), ...mended.args)
      await site.crawl(other, ...mended.args)
      expect(await site.statuses(folder)).to.deep.equal(await site.statuses(other))
    })

  it('scoring: an updatedb that it stopped in the middle goes on', async () => {
    const folder = newFolder()
    const { file, args } = moduleOf(
      "export const scoring = { name: 'own', update({ datum }) { if (datum.url.endsWith('near')) throw new Error('not today'); return datum } }",
    )
    await runCommand(['inject', folder, '-', ...acceptAll], { stdin: `${site.server.origin()}/\n` })
    const [segment = ''] = linesOf(await runCommand(['generate', folder, ...acceptAll]))
    await runCommand(['fetch', folder, segment, '--allow-address', 'loopback', '-D', 'fetcher.server.delay=0'])
    await runCommand(['parse', folder, '--workers', '0', ...acceptAll])
    expect(await failureOf(runCommand(['updatedb', folder, ...args]))).to.have.property('code', 'PLUGIN_FAILED')
    writeFileSync(file, "export const apiVersion = 1\nexport const scoring = { name: 'own', update: ({ datum }) => datum }\n")
    const mended = await runCli(['updatedb', folder, ...args])
    expect(mended.status, mended.stderr).to.equal(0)
    expect(await site.statuses(folder)).to.deep.equal({
      '/': 'db_fetched',
      '/near': 'db_unfetched',
      '/deep/er/page': 'db_unfetched',
      '/calendar/2031': 'db_unfetched',
    })
  })

  describe('by never answering', () => {
    const never = 'new Promise(() => undefined)'
    const soon = ['-D', 'millrace.plugin.timeout=0.5']
    const late = 'gave no answer in 0.5 s (millrace.plugin.timeout)'

    for (const { what, text, reason } of [
      { what: 'its import', text: `await ${never}`, reason: `the module: cannot be imported: ${late}` },
      { what: 'its function', text: `export const urlFilter = () => ${never}`, reason: `urlFilter: its function threw: ${late}` },
    ])
      it(`${what}: the command ends before anything starts`, async () => {
        const { file, args } = moduleOf(text)
        const failure = await failureOf(runCommand(['plugins', ...args, ...soon]))
        expect(failure).to.satisfy((error: unknown) => isCrawlError(error, 'PLUGIN_INVALID'))
        expect(messageOf(failure)).to.equal(`${file}: ${reason}`)
      })

    it('indexingFilter: the document is left out and counted', async () => {
      const folder = newFolder()
      await site.crawl(folder)
      const { file, args } = moduleOf(
        `export const indexingFilter = { name: 'lost', filter: document => document.id.endsWith('near') ? ${never} : document }`,
      )
      const run = await runCommand(['index', folder, ...args, ...soon])
      expect(jsonLinesOf(run)).to.have.length(3)
      expect(run.log.join('\n')).to.contain(`indexingFilter lost of ${file}: filter: ${late}`)
    })

    for (const { what, run } of [
      { what: 'a line', run: `async *run(lines) { for await (const line of lines) { yield line; await ${never} } }` },
      { what: 'the end', run: `async *run(lines) { yield* lines; await ${never} }` },
      { what: 'its first line', run: `run: () => ({ [Symbol.asyncIterator]: () => ({ next: () => ${never} }) })` },
    ])
      it(`stage, for ${what}: the stage fails`, async () => {
        const { file, args } = moduleOf(`export const stage = { name: 'lost', ${run} }`)
        const failure = await failureOf(runCommand(['stage', 'lost', ...args, ...soon], { stdin: 'http://a.test/\n' }))
        expect(failure).to.satisfy((error: unknown) => isCrawlError(error, 'PLUGIN_FAILED'))
        expect(messageOf(failure)).to.equal(`stage lost of ${file}: run: ${late}`)
      })
  })

  it('in being loaded end the command before anything starts', async () => {
    const folder = newFolder()
    for (const { text, reason } of [
      { text: 'export const scoring = {}', reason: 'scoring: name is undefined' },
      { text: 'export const urlFilters = {}', reason: 'it exports urlFilters' },
      { text: 'throw new Error("at import")', reason: 'cannot be imported: at import' },
      { text: 'export const = 1', reason: 'cannot be imported' },
    ]) {
      const { file, args } = moduleOf(text)
      const failure = await failureOf(runCommand(['inject', join(folder, 'crawl'), '-', ...args], { stdin: 'http://a.test/\n' }))
      expect(failure).to.satisfy((error: unknown) => isCrawlError(error, 'PLUGIN_INVALID'))
      expect(messageOf(failure)).to.contain(`${file}: `).and.to.contain(reason)
    }
    expect(readdirSync(folder)).to.deep.equal([])
    const missing = await runCli(['inject', join(folder, 'crawl'), '-D', 'millrace.plugins=./none.mjs'], { stdin: '' })
    expect(missing.status).to.equal(2)
    expect(missing.stderr).to.contain('PLUGIN_INVALID: ./none.mjs: there is no such file or package, seen from ')
  })
})
