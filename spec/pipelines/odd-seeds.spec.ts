import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import { silentLogger } from '../../lib/log/logger.js'
import { fetchItems } from '../../pipelines/sources.js'
import { specJob } from '../support/job-fixture.js'
import { runCommand } from '../support/run-command.js'
import { acceptAll, linesOf } from '../support/small-site.js'
import { useTempFolders } from '../support/temp-folder.js'

describe('odd lists of seeds', () => {
  const newFolder = useTempFolders()
  const readers: Readonly<Record<string, (seeds: string) => Promise<readonly string[]>>> = {
    inject: async seeds => {
      const crawl = join(newFolder(), 'crawl')
      await runCommand(['inject', crawl, '-', ...acceptAll], { stdin: seeds })
      return linesOf(await runCommand(['readdb', crawl, '--dump', '--format', 'lines']))
    },
    freegen: async seeds => {
      const list = join(newFolder(), 'list')
      writeFileSync(list, seeds)
      return linesOf(await runCommand(['freegen', join(newFolder(), 'crawl'), list, '--dry-run', ...acceptAll]))
    },
    normalize: async seeds => linesOf(await runCommand(['normalize', '-'], { stdin: seeds })),
    filter: async seeds => linesOf(await runCommand(['filter', '-', ...acceptAll], { stdin: seeds })),
    score: async seeds => linesOf(await runCommand(['score'], { stdin: seeds })),
  }
  const urls = ['http://a.example/1', 'http://a.example/2', 'http://a.example/3']

  for (const [reader, read] of Object.entries(readers))
    for (const { name, seeds } of [
      { name: 'lines that end with CR alone, as Nutch does', seeds: urls.join('\r') },
      { name: 'lines that end with LF, CR and CRLF', seeds: `${urls[0]}\n${urls[1]}\r${urls[2]}\r\n` },
      { name: 'lists put together that each begin with a byte order mark', seeds: urls.map(url => `\ufeff${url}\n\ufeff# end\n`).join('') },
    ])
      it(`${reader} reads ${name}`, async () => {
        expect((await read(seeds)).map(line => line.split('\t')[0])).to.deep.equal(urls)
      })

  const withBadScore = 'http://a.example/1\nhttp://a.example/2\tnutch.score=NaN\n'
  const reason = 'nutch.score=NaN is no finite number; the default score is used'
  for (const [name, args] of [
    ['inject', ['inject', 'DIR', '-', ...acceptAll]],
    ['freegen', ['freegen', 'DIR', '-', '--dry-run', ...acceptAll]],
    ['normalize', ['normalize', '-']],
    ['score', ['score']],
  ] as const)
    it(`${name} names line and key of a value that it does not take`, async () => {
      const run = await runCommand(
        args.map(arg => (arg === 'DIR' ? join(newFolder(), 'crawl') : arg)),
        { stdin: withBadScore },
      )
      const told = run.log.map(line => JSON.parse(line.slice(line.indexOf('{'))) as Record<string, unknown>)
      expect(told.filter(fields => fields.reason === reason)).to.have.lengthOf(1)
      expect(told.find(fields => fields.reason === reason)).to.include({ line: 2 })
    })

  it('fetchItems names line and key of a value that it does not take', async () => {
    const told: unknown[] = []
    const context = { ...specJob(newFolder()), log: { ...silentLogger, warn: (fields: object) => void told.push(fields) } }
    const items: string[] = []
    for await (const { url } of fetchItems(context)(Readable.from([Buffer.from(withBadScore)]))) items.push(url)
    expect(items).to.have.lengthOf(2)
    expect(told).to.deep.equal([{ line: 2, reason }])
  })
})
