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
    const threadsWith = async (env: Readonly<Record<string, string>>): Promise<number> => {
      const { stderr, status } = await runCli(['inject', join(newFolder(), 'crawl'), '-'], {
        stdin: 'http://a.example/',
        nodeArgs: ['--require', probe],
        env,
      })
      expect(status, stderr).to.equal(0)
      return Number(/threads (\d+)/.exec(stderr)?.[1])
    }
    expect(await threadsWith({})).to.be.above(64)
    expect(await threadsWith({ UV_THREADPOOL_SIZE: '8' }), 'as the user says').to.be.below(64)
  })
})
