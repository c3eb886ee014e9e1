import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { isCrawlError, messageOf } from '../../lib/errors/crawl-error.js'
import { runCli } from '../support/cli.js'
import { projectRoot } from '../support/paths.js'
import { type CommandRun, runCommand } from '../support/run-command.js'
import { type SpecServer, startServer } from '../support/server.js'
import { failureOf } from '../support/stream-probe.js'
import { useTempFolders } from '../support/temp-folder.js'

const examples = join(projectRoot, 'fixtures/plugins')
const example = (name: string): string[] => ['-D', `millrace.plugins=${join(examples, `${name}.mjs`)}`]
const acceptAll = ['-D', 'urlfilter.regex.rules=+.']
const lines = ({ stdout }: CommandRun): string[] => stdout.split('\n').filter(line => line !== '')
const keys = (run: CommandRun): string[] => lines(run).map(line => line.split('\t')[0] ?? '')
const jsonLines = (run: CommandRun) => lines(run).map(line => JSON.parse(line) as Record<string, unknown>)

describe('plugins', function () {
  this.timeout(30_000)
  const newFolder = useTempFolders()
  let server: SpecServer
  before(async () => {
    const page = (title: string, body: string) => ({ body: `<html><head><title>${title}</title></head><body>${body}</body></html>` })
    server = await startServer({
      routes: {
        '/': page(
          'Home',
          '<p>one two three four five six</p><p><a href="/deep/er/page">deep</a> <a href="/near">near</a> <a href="/calendar/2031">2031</a></p>',
        ),
        '/deep/er/page': page('Deep', 'deep'),
        '/near': page('', 'near'),
        '/near?from=home': page('Wrong', 'never asked for'),
        '/calendar/2031': page('Calendar', 'endless'),
      },
    })
  })
  after(() => server.close())

  /** Writes a module with these exports, and gives the arguments that load it. */
  function moduleOf(text: string): { readonly file: string; readonly args: readonly string[] } {
    const file = join(newFolder(), 'own.mjs')
    writeFileSync(file, `export const apiVersion = 1\n${text}\n`)
    return { file, args: ['-D', `millrace.plugins=${file}`] }
  }
  const limits = ['--rounds', '3', '--allow-address', 'loopback', '-D', 'fetcher.server.delay=0', ...acceptAll]
  async function crawl(folder: string, ...more: readonly string[]): Promise<Record<string, number>> {
    const { counts } = (await runCommand(['crawl', folder, `${server.origin()}/`, ...limits, ...more])).json<{ counts: Record<string, number> }>()
    return counts
  }
  const statuses = async (folder: string) => {
    const run = await runCommand(['readdb', folder, '--dump', '--format', 'json'])
    return Object.fromEntries(jsonLines(run).map(({ url, statusName }) => [String(url).slice(server.origin().length), statusName]))
  }

  describe('of fixtures/plugins', () => {
    it('are listed, all of them', async () => {
      const files = readdirSync(examples).filter(name => name.endsWith('.mjs'))
      const run = await runCommand(['plugins', '-D', `millrace.plugins=${files.map(name => join(examples, name)).join(',')}`])
      expect(lines(run)).to.deep.equal([
        `stage           count-hosts  (${join(examples, 'count-hosts.mjs')})`,
        `parseFilter     count-words  (${join(examples, 'count-words.mjs')})`,
        `parseFilter     count-paragraphs  (${join(examples, 'count-words.mjs')})`,
        `normalizer      drop-tracking  (${join(examples, 'drop-tracking.mjs')})`,
        `urlFilter       no-calendars  (${join(examples, 'no-calendars.mjs')})`,
        `scoring         shallow-first  (${join(examples, 'shallow-first.mjs')})`,
        `indexingFilter  teaser  (${join(examples, 'teaser.mjs')})`,
      ])
      const [first] = jsonLines(await runCommand(['plugins', '--json', ...example('teaser')]))
      expect(first).to.include({ point: 'indexingFilter', name: 'teaser', module: join(examples, 'teaser.mjs') })
      expect((await runCommand(['plugins'])).status).to.equal(1)
    })

    it('normalize: drop-tracking, with its options', async () => {
      const stdin = 'http://a.test/?from=x&id=1\nhttp://a.test/?ref=x\nhttp://a.test/?via=x\n'
      expect(keys(await runCommand(['normalize', '-', ...example('drop-tracking')], { stdin }))).to.deep.equal([
        'http://a.test/?id=1',
        'http://a.test/',
        'http://a.test/?via=x',
      ])
      const withOption = await runCommand(['normalize', '-', ...example('drop-tracking'), '-D', 'millrace.plugin.options=tracking=via'], { stdin })
      expect(keys(withOption)[2]).to.equal('http://a.test/')
    })

    it('filter: no-calendars, and says why', async () => {
      const stdin = 'http://a.test/calendar/2031\nhttp://a.test/calendar/\n'
      expect(keys(await runCommand(['filter', '-', ...acceptAll, ...example('no-calendars')], { stdin }))).to.deep.equal(['http://a.test/calendar/'])
      const [line = ''] = lines(await runCommand(['filter', '-', '--explain', ...acceptAll, ...example('no-calendars')], { stdin }))
      const { steps } = JSON.parse(line.slice(line.indexOf('\t'))) as { steps: { rule: string; file: string; reason: string }[] }
      expect(steps[0]).to.include({ rule: 'no-calendars', file: join(examples, 'no-calendars.mjs'), reason: 'a day of a calendar: 2031' })
    })

    it('score: shallow-first decides what is generated, and what links bring', async () => {
      const folder = newFolder()
      const seeds = ['http://a.test/1/2/3', 'http://a.test/', 'http://a.test/1'].map(url => `${url}\n`).join('')
      await runCommand(['inject', folder, '-', ...acceptAll], { stdin: seeds })
      const { stdout } = await runCommand(['generate', folder, '--top-n', '1', ...acceptAll, ...example('shallow-first')])
      const listed = await runCommand(['readseg', folder, stdout.trim(), '--dump', '--json'])
      expect(keys(listed)).to.deep.equal(['http://a.test/'])
    })

    for (const workers of [0, 1])
      it(`parse: count-words and count-paragraphs, with ${workers} worker threads`, async () => {
        const folder = newFolder()
        await crawl(folder, '--workers', String(workers), '--rounds', '1', ...example('count-words'))
        const documents = jsonLines(await runCommand(['index', folder, '-D', 'index.parse.md=words,paragraphs']))
        // The title and `deep near 2031` are words too.
        expect(documents[0]).to.include({ words: '10', paragraphs: '2' })
      })

    it('index: teaser', async () => {
      const folder = newFolder()
      await crawl(folder, ...example('no-calendars'))
      const run = await runCommand(['index', folder, ...example('teaser')])
      expect(jsonLines(run).map(({ title, teaser }) => [title, teaser])).to.have.deep.members([
        ['Home', 'Home one two three four'],
        ['Deep', 'Deep deep'],
      ])
      expect(run.log.at(-1)).to.contain('"index/skip/left_out":1')
      const deleting = await runCommand(['index', folder, ...example('teaser'), '-D', 'indexer.delete.skipped.by.indexingfilter=true'])
      expect(jsonLines(deleting)).to.deep.include({ delete: `${server.origin()}/near`, reason: 'left_out' })
    })

    it('stage: count-hosts', async () => {
      const stdin = 'http://b.test/\nhttp://a.test/\tnutch.score=2\n# comment\nhttp://a.test/x\t{"any":"record"}\n'
      expect(lines(await runCommand(['stage', 'count-hosts', ...example('count-hosts')], { stdin }))).to.deep.equal([
        'a.test\t{"count":2}',
        'b.test\t{"count":1}',
      ])
      expect(await failureOf(runCommand(['stage', 'count-host', ...example('count-hosts')], { stdin })))
        .to.have.property('message')
        .that.matches(/there is no stage count-host.*count-hosts/)
    })

    it('work together in a crawl from outside, named in millrace.config.json as seen from it', async () => {
      const folder = newFolder()
      const names = ['drop-tracking', 'no-calendars', 'shallow-first', 'count-words']
      for (const name of names) writeFileSync(join(folder, `${name}.mjs`), `export * from ${JSON.stringify(join(examples, `${name}.mjs`))}\n`)
      const config = { plugins: names.map(name => `./${name}.mjs`), 'urlfilter.regex.rules': '+.', 'fetcher.server.delay': 0 }
      writeFileSync(join(folder, 'millrace.config.json'), JSON.stringify(config))
      const run = await runCli(['crawl', folder, `${server.origin()}/?from=seed`, '--rounds', '3', '--allow-address', 'loopback'], {
        cwd: newFolder(),
      })
      expect(run.status, run.stderr).to.equal(0)
      expect(await statuses(folder)).to.deep.equal({ '/': 'db_fetched', '/near': 'db_fetched', '/deep/er/page': 'db_fetched' })
      expect((await runCli(['plugins', folder])).lines()).to.have.length(5)
    })
  })

  describe('that throw are named', () => {
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
          const counts = await crawl(folder, '--workers', String(workers), ...moduleOf(text).args)
          expect(await statuses(folder)).to.have.all.keys('/', '/deep/er/page', '/calendar/2031')
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
      expect(lines(await runCommand(['readdb', folder, '--dump', '--format', 'json']))).to.have.length(2)
    })

    it('parseFilter: the parse of the page fails', async () => {
      const folder = newFolder()
      const { args, file } = moduleOf(
        "export const parseFilter = { name: 'bad', filter(parse) { if (parse.url.endsWith('near')) throw new Error('not today') } }",
      )
      const counts = await crawl(folder, ...args)
      expect(counts).to.include({ 'plugin/failed/bad': 1, 'parse/failed': 1 })
      expect((await statuses(folder))['/near']).to.equal('db_parse_failed')
      const names = jsonLines(await runCommand(['readseg', folder, '--list', '--json'])).map(({ segment, name }) => String(segment ?? name))
      const dumps = await Promise.all(names.map(name => runCommand(['readseg', folder, name, '--dump', '--json'])))
      expect(dumps.map(({ stdout }) => stdout).join('')).to.contain(`plugin: bad: parseFilter bad of ${file}: filter: not today`)
    })

    it('indexingFilter: the document is left out and counted', async () => {
      const folder = newFolder()
      await crawl(folder)
      const { args, file } = bad('indexingFilter', 'bad', 'filter')
      const run = await runCommand(['index', folder, '--delete', ...args])
      expect(jsonLines(run).map(({ id }) => String(id).slice(server.origin().length))).to.have.members(['/deep/er/page', '/calendar/2031'])
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
        const run = () => crawl(folder, '--workers', String(workers), ...broken.args)
        const failure = await failureOf(run())
        expect(failure).to.satisfy((error: unknown) => isCrawlError(error, 'PLUGIN_FAILED'))
        expect(messageOf(failure)).to.equal(`scoring own of ${broken.file}: distribute: not today`)
        expect(await statuses(folder)).to.deep.equal({ '/': 'db_unfetched' })
        // A process imports a module once: the mended one has another name here.
        const mended = moduleOf(`export const scoring = { name: 'own', ${distribute} }`)
        await crawl(folder, '--workers', String(workers), ...mended.args)
        await crawl(other, ...mended.args)
        expect(await statuses(folder)).to.deep.equal(await statuses(other))
      })

    it('scoring: an updatedb that it stopped in the middle goes on', async () => {
      const folder = newFolder()
      const { file, args } = moduleOf(
        "export const scoring = { name: 'own', update({ datum }) { if (datum.url.endsWith('near')) throw new Error('not today'); return datum } }",
      )
      await runCommand(['inject', folder, '-', ...acceptAll], { stdin: `${server.origin()}/\n` })
      const [segment = ''] = lines(await runCommand(['generate', folder, ...acceptAll]))
      await runCommand(['fetch', folder, segment, '--allow-address', 'loopback'])
      await runCommand(['parse', folder, '--workers', '0', ...acceptAll])
      expect(await failureOf(runCommand(['updatedb', folder, ...args]))).to.have.property('code', 'PLUGIN_FAILED')
      writeFileSync(file, "export const apiVersion = 1\nexport const scoring = { name: 'own', update: ({ datum }) => datum }\n")
      const mended = await runCli(['updatedb', folder, ...args])
      expect(mended.status, mended.stderr).to.equal(0)
      expect(await statuses(folder)).to.deep.equal({
        '/': 'db_fetched',
        '/near': 'db_unfetched',
        '/deep/er/page': 'db_unfetched',
        '/calendar/2031': 'db_unfetched',
      })
    })
  })

  it('that cannot be loaded end the command before anything starts', async () => {
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
