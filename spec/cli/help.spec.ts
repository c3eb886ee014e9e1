import { cpSync } from 'node:fs'
import { expect } from 'chai'
import { Command, CommanderError } from 'commander'
import { commands } from '../../pipelines/cli/commands.js'
import { type DemoSite, startDemoSite } from '../../pipelines/demo-site.js'
import { runCli } from '../support/cli.js'
import { runShell, type ShellResult } from '../support/shell.js'
import { useTempFolders } from '../support/temp-folder.js'

/** Whether an example asks a site, serves one, or runs until it is stopped. */
function asksNetwork(name: string, example: string): boolean {
  if (['crawl', 'fetch', 'demo'].includes(name) || /\bstage fetch\b/.test(example)) return true
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

/** What a command prints and how commander ends it, without a process of its own. */
async function parseInProcess(name: string, argv: readonly string[]): Promise<{ readonly output: string; readonly code: string }> {
  let output = ''
  const write = (text: string): void => {
    output += text
  }
  const module = await commands.find(command => command.name === name)?.load()
  const command = module?.declare(new Command(`millrace ${name}`).exitOverride().configureOutput({ writeOut: write, writeErr: write }))
  try {
    command?.parse(argv, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return { output, code: error.code }
    throw error
  }
  return { output, code: 'none' }
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
  this.timeout(120_000)
  const newFolder = useTempFolders()
  const names = commands.map(({ name }) => name)
  let site: DemoSite
  before(async () => {
    site = await startDemoSite({ hosts: ['river'] })
  })
  after(() => site.close())

  for (const name of names) {
    it(`${name} --help shows usage and an example of it; an option that it does not have is refused`, async () => {
      const { output, code } = await parseInProcess(name, ['--help'])
      expect(code).to.equal('commander.helpDisplayed')
      expect(output).to.match(new RegExp(`^Usage: millrace ${name}\\b`))
      expect(examplesIn(output).filter(line => new RegExp(`\\bmillrace ${name}\\b`).test(line))).to.not.be.empty
      expect((await parseInProcess(name, ['--no-such-option'])).code).to.equal('commander.unknownOption')
    })
  }

  it('of a command shows the common options too, on stdout, with 0; millrace help NAME is the same', async () => {
    const [name = ''] = names
    const { status, stdout, stderr } = await runCli([name, '--help'])
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' })
    for (const option of ['--define', '--config', '--now', '--log-format', '--quiet', '--help']) expect(stdout).to.include(option)
    expect((await runCli(['help', name])).stdout).to.equal(stdout)
    const refused = await runCli([name, '--no-such-option'])
    expect(refused).to.include({ status: 2, stdout: '' })
    expect(refused.stderr).to.include("unknown option '--no-such-option'")
  })

  it('has examples that work when pasted beside seeds.txt, rules.txt, a WARC and a small crawl', async () => {
    const prepared = newFolder()
    const begin = [
      'echo http://example.org/ > seeds.txt && echo +. > rules.txt',
      `millrace crawl crawl ${site.origin('river')}/ --rounds 1 --rules rules.txt --allow-address loopback -q -D fetcher.server.delay=0 >/dev/null`,
      'millrace inject crawl seeds.txt -q >/dev/null && cp crawl/segments/*/content-00000.warc.gz other-crawl-00000.warc.gz',
    ]
    const preparation = await runShell(begin.join(' && '), {}, prepared)
    expect(preparation.status, preparation.stderr).to.equal(0)
    const helps = await Promise.all(names.map(name => parseInProcess(name, ['--help'])))
    const examples = names.flatMap((name, index) => examplesIn(helps[index]?.output ?? '').filter(example => !asksNetwork(name, example)))
    const results = await eachOf(examples, example => {
      const folder = newFolder()
      cpSync(prepared, folder, { recursive: true })
      return runShell(example, {}, folder)
    })
    const isBad = ({ status, stderr }: ShellResult): boolean => (status !== 0 && status !== 1) || /UNEXPECTED|there is no command/.test(stderr)
    const failed = [...results].filter(([, result]) => isBad(result))
    expect(failed.map(([example, { status, stderr }]) => `${example}\nexit ${status}\n${stderr}`)).to.deep.equal([])
    expect(examples.length).to.be.at.least(5)
  })
})
