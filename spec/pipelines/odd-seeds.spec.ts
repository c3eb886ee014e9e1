import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
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
})
