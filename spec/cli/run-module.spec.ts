import { Readable, Writable } from 'node:stream'
import { expect } from 'chai'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { systemClock } from '../../lib/log/clock.js'
import { silentLogger } from '../../lib/log/logger.js'
import type { CommandContext } from '../../pipelines/cli/command.js'
import { runModule } from '../../pipelines/cli/run-module.js'

/** Runs a command that does nothing but obey its signal, which is aborted with `reason`. */
async function runStopped(reason: Error): Promise<{ readonly status: number; readonly stderr: string }> {
  let stderr = ''
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      stderr += String(chunk)
      done()
    },
  })
  const context: CommandContext = {
    stdin: Readable.from([]),
    stdout: sink,
    stderr: sink,
    log: silentLogger,
    clock: systemClock,
    pacingClock: systemClock,
    signal: AbortSignal.abort(reason),
    configure: () => {
      throw new TypeError('not asked')
    },
  }
  const run = async ({ signal }: CommandContext): Promise<0> => {
    signal.throwIfAborted()
    return 0
  }
  const module = { declare: () => expect.fail('not asked'), run }
  return { status: await runModule({ name: 'dump', summary: '', load: async () => module }, context, [], {}), stderr }
}

describe('runModule', () => {
  it('exits 0 for a command that obeys who stops it', async () => {
    expect(await runStopped(new Error('stopped by SIGINT'))).to.deep.equal({ status: 0, stderr: 'millrace dump: stopped by SIGINT\n' })
  })

  it('exits 3 for one that is cut off: half of an answer is no success', async () => {
    const reason = new CrawlError('CONTROL_FAILED', 'the process that holds the db is ending')
    const stderr = 'millrace dump: CONTROL_FAILED: the process that holds the db is ending\n'
    expect(await runStopped(reason)).to.deep.equal({ status: 3, stderr })
  })
})
