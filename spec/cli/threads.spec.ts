import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { runCli } from '../support/cli.js'
import { useTempFolders } from '../support/temp-folder.js'

describe('the program', () => {
  const newFolder = useTempFolders()

  it('looks up more names at once than two, so that name servers that do not answer hold nobody up', async function atOnce() {
    if (process.platform !== 'linux') this.skip()
    const probe = join(newFolder(), 'probe.cjs')
    writeFileSync(probe, "process.on('exit', () => console.error('threads', require('node:fs').readdirSync('/proc/self/task').length))")
    const threadsOf = async (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<number> => {
      const { stderr } = await runCli(args, { stdin: 'http://127.0.0.1:9/', nodeArgs: ['--require', probe], env })
      return Number(/threads (\d+)/.exec(stderr)?.[1])
    }
    const crawl = ['crawl', join(newFolder(), 'crawl'), '-', '--max-pages', '1', '--allow-address', 'loopback', '-D', 'fetcher.server.delay=0']
    expect(await threadsOf(crawl)).to.be.above(64)
    expect(await threadsOf(crawl, { UV_THREADPOOL_SIZE: '8' }), 'as the user says').to.be.below(64)
    expect(await threadsOf(['inject', join(newFolder(), 'crawl'), '-']), 'looks no names up').to.be.below(64)
  })
})
