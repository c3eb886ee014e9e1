import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { reportFailure } from '../../pipelines/cli/run-module.js'
import { runCommand } from '../support/run-command.js'
import { failureOf } from '../support/stream-probe.js'
import { useTempFolders } from '../support/temp-folder.js'

/** One rule for all: what is wrong before anything starts is wrong use, exit status 2 (design.md §7). */
describe('an input file that is not there', () => {
  const newFolder = useTempFolders()
  const missing = 'no-such-file'

  for (const args of [
    ['signature', missing],
    ['warc', '--check', missing],
    ['import', 'DIR', '--warc', missing],
    ['import', 'DIR', '--from-dump', missing],
    ['inject', 'DIR', missing],
    ['freegen', 'DIR', missing],
    ['crawl', 'DIR', '--seeds', missing, '--rounds', '1'],
    ['crawl', 'DIR', 'http://a.test/', '--rounds', '1', '--rules', missing],
    ['filter', 'http://a.test/', '--rules', missing],
    ['normalize', 'http://a.test/', '--chain', 'regex', '-D', `urlnormalizer.regex.file=${missing}`],
    ['robots', 'http://a.test/', '--agent', 'a', '--file', missing],
    ['parse-page', '--url', 'http://a.test/', missing],
    ['sitemap', '--url', 'http://a.test/', '--parse', missing],
    ['index', 'DIR', '--mapping', missing],
    ['plugins', '-D', `millrace.plugins=${missing}`],
  ])
    it(`is named, and ends millrace ${args.join(' ')} with 2, before anything is made`, async () => {
      const folder = newFolder()
      const failure = await failureOf(runCommand(args.map(arg => (arg === 'DIR' ? join(folder, 'crawl') : arg))))
      const stderr = new PassThrough()
      expect(reportFailure(failure, args[0] ?? '', { stderr }), String(failure)).to.equal(2)
      expect(String(stderr.read())).to.contain(missing)
      expect(readdirSync(folder)).to.deep.equal([])
    })

  it('is named with all others, and so is a folder', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'a-folder'))
    const failure = await failureOf(runCommand(['warc', '--check', 'none-1', join(folder, 'a-folder'), 'none-2']))
    expect(failure).to.have.property('code', 'USAGE')
    expect(failure)
      .to.have.property('message')
      .that.matches(/none-1 cannot be read: .*; .*a-folder is a folder; none-2 cannot be read/)
  })

  it('invertlinks makes no LinkDb where there is no crawl', async () => {
    const folder = newFolder()
    expect((await runCommand(['invertlinks', join(folder, 'crawl')])).status).to.equal(1)
    expect(readdirSync(folder)).to.deep.equal([])
  })
})
