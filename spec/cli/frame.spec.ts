import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { commands } from '../../pipelines/cli/commands.js'
import { millraceBin, runCli } from '../support/cli.js'
import { projectRoot } from '../support/paths.js'
import { runShell } from '../support/shell.js'

const version = (JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string }).version

describe('command line', () => {
  for (const { args, status, stdout, stderr } of [
    { args: ['--version'], status: 0, stdout: new RegExp(`^${version.replaceAll('.', '\\.')}\\n$`), stderr: /^$/ },
    { args: ['-V'], status: 0, stdout: /^\d/, stderr: /^$/ },
    { args: ['--help'], status: 0, stdout: /^Usage: millrace <command>/, stderr: /^$/ },
    { args: ['-h'], status: 0, stdout: /^Usage: millrace <command>/, stderr: /^$/ },
    { args: ['help'], status: 0, stdout: /^Usage: millrace <command>/, stderr: /^$/ },
    { args: [], status: 2, stdout: /^$/, stderr: /^Usage: millrace <command>/ },
    { args: ['nonesuch'], status: 2, stdout: /^$/, stderr: /^millrace: there is no command nonesuch; see millrace --help\n$/ },
    { args: ['help', 'nonesuch'], status: 2, stdout: /^$/, stderr: /there is no command nonesuch/ },
    { args: ['--nonesuch'], status: 2, stdout: /^$/, stderr: /there is no command --nonesuch/ },
  ]) {
    it(`millrace ${args.join(' ')} exits ${status}`, async () => {
      const result = await runCli(args)
      expect(result.status).to.equal(status)
      expect(result.stdout).to.match(stdout)
      expect(result.stderr).to.match(stderr)
    })
  }

  it('lists every command once, with what it does', async () => {
    const { stdout } = await runCli(['--help'])
    const listed = [...stdout.matchAll(/^ {2}(\S+) {2,}(\S.*)$/gm)].map(([, name, summary]) => [name, summary])
    expect(listed).to.deep.equal(commands.map(({ name, summary }) => [name, summary]))
    expect(new Set(commands.map(({ name }) => name)).size).to.equal(commands.length)
  })

  it('may be run by its name alone: the file is executable', async () => {
    const { status, stdout } = await runShell('"$MILLRACE" --version', { MILLRACE: millraceBin })
    expect({ status, stdout }).to.deep.equal({ status: 0, stdout: `${version}\n` })
  })

  for (const { name, script, status } of [
    { name: 'stdout closed by the reader', script: '{ millrace --help; echo "$?" >&2; } | true', status: '0' },
    { name: 'stderr closed by the reader', script: '{ { millrace nonesuch; echo "$?" >&3; } 2>&1 >/dev/null | true; } 3>&2', status: '2' },
  ]) {
    it(`keeps its exit status with ${name}`, async () => {
      expect((await runShell(script)).stderr.trim()).to.equal(status)
    })
  }
})
