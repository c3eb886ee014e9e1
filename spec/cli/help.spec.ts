import { cpSync } from 'node:fs'
import { expect } from 'chai'
import { commands } from '../../pipelines/cli/commands.js'
import { type CliResult, runCli } from '../support/cli.js'
import { runShell, type ShellResult } from '../support/shell.js'
import { useTempFolders } from '../support/temp-folder.js'

/** Whether an example asks a site, serves one, or runs until it is stopped. */
function asksNetwork(name: string, example: string): boolean {
  if (['crawl', 'fetch', 'demo', 'stage'].includes(name)) return true
  return ['parse-page', 'robots', 'sitemap'].includes(name) && !/\||--file|--parse/.test(example)
}

/** Lines of the help behind `Example:` or `Examples:` that run the program, without a prompt. */
function examplesIn(help: string): string[] {
  const [, block = ''] = /\nExamples?:\n([\s\S]*)$/.exec(help) ?? []
  return block
    .split('\n')
    .map(line => line.trim().replace(/^\$ /, ''))
    .filter(line => /\bmillrace\b/.test(line))
}

/** Runs `work` on all, a few at a time: most of a run is waiting for a process. */
async function eachOf<In, Out>(inputs: readonly In[], work: (input: In) => Promise<Out>): Promise<Map<In, Out>> {
  const outputs = new Map<In, Out>()
  const queue = [...inputs]
  const worker = async (): Promise<void> => {
    for (let input = queue.shift(); input !== undefined; input = queue.shift()) outputs.set(input, await work(input))
  }
  await Promise.all([worker(), worker(), worker()])
  return outputs
}

describe('help', function () {
  this.timeout(60_000)
  const newFolder = useTempFolders()
  const names = commands.map(({ name }) => name)
  let helps: Map<string, CliResult>
  let refusals: Map<string, CliResult>
  before(async () => {
    helps = await eachOf(names, name => runCli([name, '--help']))
    refusals = await eachOf(names, name => runCli([name, '--no-such-option']))
  })

  for (const name of names) {
    it(`${name} --help shows usage, the common options and an example of it`, () => {
      const { status, stdout, stderr } = helps.get(name) as CliResult
      expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' })
      expect(stdout).to.match(new RegExp(`^Usage: millrace ${name}\\b`))
      for (const option of ['--define', '--config', '--now', '--log-format', '--quiet', '--help']) expect(stdout).to.include(option)
      expect(examplesIn(stdout).filter(line => new RegExp(`\\bmillrace ${name}\\b`).test(line))).to.not.be.empty
    })

    it(`${name} refuses an option that it does not have, with 2`, () => {
      const { status, stdout, stderr } = refusals.get(name) as CliResult
      expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' })
      expect(stderr).to.include("unknown option '--no-such-option'")
    })
  }

  it('millrace help NAME is the same as millrace NAME --help', async () => {
    const [name = ''] = names
    expect((await runCli(['help', name])).stdout).to.equal(helps.get(name)?.stdout)
  })

  it('examples work when pasted in a folder with seeds.txt, rules.txt and a crawl of one seed', async () => {
    const prepared = newFolder()
    const begin = 'echo http://example.org/ > seeds.txt && echo +. > rules.txt && millrace inject crawl seeds.txt --quiet >/dev/null'
    expect((await runShell(begin, {}, prepared)).status).to.equal(0)
    const examples = names.flatMap(name => examplesIn(helps.get(name)?.stdout ?? '').filter(example => !asksNetwork(name, example)))
    const results = await eachOf(examples, example => {
      const folder = newFolder()
      cpSync(prepared, folder, { recursive: true })
      return runShell(example, {}, folder)
    })
    const failed = [...results].filter(
      ([, { status, stderr }]: [string, ShellResult]) => (status !== 0 && status !== 1) || /UNEXPECTED|no command/.test(stderr),
    )
    expect(failed.map(([example, { status, stderr }]) => `${example}\nexit ${status}\n${stderr}`)).to.deep.equal([])
    expect(examples.length).to.be.at.least(1)
  })
})
