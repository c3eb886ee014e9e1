import { join } from 'node:path'
import { expect } from 'chai'
import { type CliOptions, startCli } from '../support/cli.js'
import { projectRoot } from '../support/paths.js'

const program = join(projectRoot, 'dist/spec/cli/frame-child.js')
const start = (name: string, options: CliOptions = {}) => startCli([name], { ...options, program })

describe('how the program ends', () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`${signal} once: the command is told, and 0 is its exit status when it obeys`, async () => {
      const running = start('wait')
      await running.waitFor(/waiting\n/)
      running.kill(signal)
      const { status, stderr } = await running.result
      expect(status).to.equal(0)
      expect(stderr).to.equal(`waiting\ntold to stop\nmillrace wait: stopped by ${signal}\n`)
    })

    it(`${signal} twice: 130 at once, whatever the command does`, async () => {
      const running = start('deaf')
      await running.waitFor(/waiting\n/)
      running.kill(signal)
      await running.waitFor(/told to stop\n/)
      running.kill(signal)
      expect(await running.result).to.include({ status: 130, signal: null })
    })
  }

  it('an error that nothing caught: 3, with its stack', async () => {
    const { status, stderr } = await start('throw').result
    expect(status).to.equal(3)
    expect(stderr).to.match(/^millrace: UNEXPECTED: Error: behind the back of the command\n\s+at /)
  })

  it('a command that waits for nothing: 3, and not the status of a success', async () => {
    const { status, stderr } = await start('standstill').result
    expect(status).to.equal(3)
    expect(stderr).to.include('the command has not ended')
  })
})
