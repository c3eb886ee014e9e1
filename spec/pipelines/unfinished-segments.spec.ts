import { expect } from 'chai'
import { runCommand } from '../support/run-command.js'
import { acceptAll, linesOf, useSmallSite } from '../support/small-site.js'
import { useTempFolders } from '../support/temp-folder.js'

// Taken in before its end, a segment counted as merged for good: what was fetched and parsed after that never reached the dbs, without a word.
describe('a segment that is named before it is fetched and parsed', function () {
  this.timeout(30_000)
  const newFolder = useTempFolders()
  const site = useSmallSite()

  const fetchIt = (folder: string): Promise<unknown> =>
    runCommand(['fetch', folder, '--allow-address', 'loopback', '-D', 'fetcher.server.delay=0', ...acceptAll])

  for (const command of ['updatedb', 'invertlinks', 'index']) {
    it(`is refused by ${command} until it is ${command === 'updatedb' ? 'fetched' : 'parsed'}`, async () => {
      const folder = newFolder()
      await runCommand(['inject', folder, '-', ...acceptAll], { stdin: `${site.server.origin()}/\n` })
      const [segment = ''] = linesOf(await runCommand(['generate', folder, ...acceptAll]))
      const refused = async (): Promise<void> => {
        const error: unknown = await runCommand([command, folder, segment]).catch(thrown => thrown)
        expect(error).to.include({ code: 'SEGMENT_STATE' })
      }
      await refused()
      await fetchIt(folder)
      if (command === 'updatedb') return
      await refused()
      await runCommand(['parse', folder])
      const { status, stdout } = await runCommand([command, folder, segment])
      expect({ status, isSilent: stdout === '' }).to.deep.equal({ status: 0, isSilent: false })
    })
  }

  for (const isParsed of [true, false])
    it(`is taken in by updatedb ${isParsed ? 'with its links' : 'when it is only fetched, as by Nutch (NUTCH-2408), with a warning'}`, async () => {
      const folder = newFolder()
      await runCommand(['inject', folder, '-', ...acceptAll], { stdin: `${site.server.origin()}/\n` })
      const [segment = ''] = linesOf(await runCommand(['generate', folder, ...acceptAll]))
      await fetchIt(folder)
      if (isParsed) await runCommand(['parse', folder])
      const { log } = await runCommand(['updatedb', folder, segment])
      expect(log.filter(line => line.includes('not parsed'))).to.have.length(isParsed ? 0 : 1)
      expect(await site.statuses(folder)).to.include(isParsed ? { '/': 'db_fetched', '/near': 'db_unfetched' } : { '/': 'db_fetched' })
    })
})
