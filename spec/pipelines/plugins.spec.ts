import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { runCli } from '../support/cli.js'
import { projectRoot } from '../support/paths.js'
import { runCommand } from '../support/run-command.js'
import { acceptAll, jsonLinesOf, keysOf, linesOf, useSmallSite } from '../support/small-site.js'
import { failureOf } from '../support/stream-probe.js'
import { useTempFolders } from '../support/temp-folder.js'

const examples = join(projectRoot, 'fixtures/plugins')
const example = (name: string): string[] => ['-D', `millrace.plugins=${join(examples, `${name}.mjs`)}`]

describe('plugins', function () {
  this.timeout(30_000)
  const newFolder = useTempFolders()
  const site = useSmallSite()

  describe('of fixtures/plugins', () => {
    it('are listed, all of them', async () => {
      const files = readdirSync(examples).filter(name => name.endsWith('.mjs'))
      const run = await runCommand(['plugins', '-D', `millrace.plugins=${files.map(name => join(examples, name)).join(',')}`])
      expect(linesOf(run)).to.deep.equal([
        `stage           count-hosts  (${join(examples, 'count-hosts.mjs')})`,
        `parseFilter     count-words  (${join(examples, 'count-words.mjs')})`,
        `parseFilter     count-paragraphs  (${join(examples, 'count-words.mjs')})`,
        `normalizer      drop-tracking  (${join(examples, 'drop-tracking.mjs')})`,
        `urlFilter       no-calendars  (${join(examples, 'no-calendars.mjs')})`,
        `scoring         shallow-first  (${join(examples, 'shallow-first.mjs')})`,
        `indexingFilter  teaser  (${join(examples, 'teaser.mjs')})`,
      ])
      const [first] = jsonLinesOf(await runCommand(['plugins', '--json', ...example('teaser')]))
      expect(first).to.include({ point: 'indexingFilter', name: 'teaser', module: join(examples, 'teaser.mjs') })
      expect((await runCommand(['plugins'])).status).to.equal(1)
    })

    it('normalize: drop-tracking, with its options', async () => {
      const stdin = 'http://a.test/?from=x&id=1\nhttp://a.test/?ref=x\nhttp://a.test/?via=x\n'
      expect(keysOf(await runCommand(['normalize', '-', ...example('drop-tracking')], { stdin }))).to.deep.equal([
        'http://a.test/?id=1',
        'http://a.test/',
        'http://a.test/?via=x',
      ])
      const withOption = await runCommand(['normalize', '-', ...example('drop-tracking'), '-D', 'millrace.plugin.options=tracking=via'], { stdin })
      expect(keysOf(withOption)[2]).to.equal('http://a.test/')
    })

    it('filter: no-calendars, and says why', async () => {
      const stdin = 'http://a.test/calendar/2031\nhttp://a.test/calendar/\n'
      expect(keysOf(await runCommand(['filter', '-', ...acceptAll, ...example('no-calendars')], { stdin }))).to.deep.equal([
        'http://a.test/calendar/',
      ])
      const [line = ''] = linesOf(await runCommand(['filter', '-', '--explain', ...acceptAll, ...example('no-calendars')], { stdin }))
      const { steps } = JSON.parse(line.slice(line.indexOf('\t'))) as { steps: { rule: string; file: string; reason: string }[] }
      expect(steps[0]).to.include({ rule: 'no-calendars', file: join(examples, 'no-calendars.mjs'), reason: 'a day of a calendar: 2031' })
    })

    it('score: shallow-first decides what is generated, and what links bring', async () => {
      const folder = newFolder()
      const seeds = ['http://a.test/1/2/3', 'http://a.test/', 'http://a.test/1'].map(url => `${url}\n`).join('')
      await runCommand(['inject', folder, '-', ...acceptAll], { stdin: seeds })
      const { stdout } = await runCommand(['generate', folder, '--top-n', '1', ...acceptAll, ...example('shallow-first')])
      const listed = await runCommand(['readseg', folder, stdout.trim(), '--dump', '--json'])
      expect(keysOf(listed)).to.deep.equal(['http://a.test/'])
    })

    for (const workers of [0, 1])
      it(`parse: count-words and count-paragraphs, with ${workers} worker threads`, async () => {
        const folder = newFolder()
        await site.crawl(folder, '--workers', String(workers), '--rounds', '1', ...example('count-words'))
        const documents = jsonLinesOf(await runCommand(['index', folder, '-D', 'index.parse.md=words,paragraphs']))
        // The title and the three links are words too.
        expect(documents[0]).to.include({ words: '10', paragraphs: '2' })
      })

    it('index: teaser', async () => {
      const folder = newFolder()
      await site.crawl(folder, ...example('no-calendars'))
      const run = await runCommand(['index', folder, ...example('teaser')])
      expect(jsonLinesOf(run).map(({ title, teaser }) => [title, teaser])).to.have.deep.members([
        ['Home', 'Home one two three four'],
        ['Deep', 'Deep deep'],
      ])
      expect(run.log.at(-1)).to.contain('"index/skip/left_out":1')
      const deleting = await runCommand(['index', folder, ...example('teaser'), '-D', 'indexer.delete.skipped.by.indexingfilter=true'])
      expect(jsonLinesOf(deleting)).to.deep.include({ delete: `${site.server.origin()}/near`, reason: 'left_out' })
    })

    it('stage: count-hosts', async () => {
      const stdin = 'http://b.test/\nhttp://a.test/\tnutch.score=2\n# comment\nhttp://a.test/x\t{"any":"record"}\n'
      expect(linesOf(await runCommand(['stage', 'count-hosts', ...example('count-hosts')], { stdin }))).to.deep.equal([
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
      const run = await runCli(['crawl', folder, `${site.server.origin()}/?from=seed`, '--rounds', '3', '--allow-address', 'loopback'], {
        cwd: newFolder(),
      })
      expect(run.status, run.stderr).to.equal(0)
      expect(await site.statuses(folder)).to.deep.equal({ '/': 'db_fetched', '/near': 'db_fetched', '/deep/er/page': 'db_fetched' })
      expect((await runCli(['plugins', folder])).lines()).to.have.length(5)
    })
  })
})
