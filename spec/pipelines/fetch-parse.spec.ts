import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { runCommand } from '../support/run-command.js'
import { acceptAll, linesOf, useSmallSite } from '../support/small-site.js'
import { useTempFolders } from '../support/temp-folder.js'

describe('fetch --parse', function () {
  this.timeout(30_000)
  const newFolder = useTempFolders()
  const site = useSmallSite()

  const fetchIt = (folder: string, ...more: readonly string[]) =>
    runCommand(['fetch', folder, '--allow-address', 'loopback', '-D', 'fetcher.server.delay=0', ...acceptAll, ...more])

  async function generated(): Promise<{ readonly folder: string; readonly segment: string }> {
    const folder = newFolder()
    await runCommand(['inject', folder, '-', ...acceptAll], { stdin: `${site.server.origin()}/\n` })
    const [segment = ''] = linesOf(await runCommand(['generate', folder, ...acceptAll]))
    return { folder, segment }
  }

  /** Statuses after an updatedb that finds the segment by itself. */
  async function updated(folder: string): Promise<Record<string, unknown>> {
    expect((await runCommand(['parse', folder])).status, 'nothing is left to be parsed').to.equal(1)
    expect((await runCommand(['updatedb', folder])).status).to.equal(0)
    return site.statuses(folder)
  }
  const afterOnePage = { '/': 'db_fetched', '/near': 'db_unfetched', '/deep/er/page': 'db_unfetched', '/calendar/2031': 'db_unfetched' }

  it('ends both steps: updatedb takes the segment in', async () => {
    const { folder } = await generated()
    await fetchIt(folder, '--parse')
    expect(await updated(folder)).to.deep.equal(afterOnePage)
  })

  it('parses what an earlier run had stored and not parsed, before it was killed', async () => {
    const { folder, segment } = await generated()
    await fetchIt(folder)
    rmSync(join(folder, 'segments', segment, 'steps.json')) // as a kill leaves it
    const resumed = (await fetchIt(folder, '--parse')).json<{ counts: Record<string, number> }>()
    expect(resumed.counts).to.include({ 'parse/success': 1, 'parse/skipped': 0 })
    expect(await updated(folder)).to.deep.equal(afterOnePage)
  })
})
