import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { expect } from 'chai'
import { runCli, startCli } from '../support/cli.js'
import { runCommand } from '../support/run-command.js'
import { acceptAll, linesOf } from '../support/small-site.js'
import { failureOf } from '../support/stream-probe.js'
import { useTempFolders } from '../support/temp-folder.js'

describe('where seeds come from', () => {
  const newFolder = useTempFolders()
  const seeds = 'http://a.example/1\nhttp://a.example/2'

  /** A named pipe that gives `text` once, as the shell's `<(…)` does. */
  function pipeOf(text: string): string {
    const path = join(newFolder(), 'pipe')
    execFileSync('mkfifo', [path])
    void writeFile(path, text)
    return path
  }

  const urlsOf = async (crawl: string): Promise<string[]> =>
    linesOf(await runCommand(['readdb', crawl, '--dump', '--format', 'lines'])).map(line => line.split('\t')[0] as string)

  it('inject reads named pipes, each once', async () => {
    const crawl = join(newFolder(), 'crawl')
    const report = await runCommand(['inject', crawl, pipeOf(seeds), pipeOf('http://b.example/'), ...acceptAll])
    expect(report.json()).to.include({ read: 3, added: 3 })
    expect(await urlsOf(crawl)).to.have.members(['http://a.example/1', 'http://a.example/2', 'http://b.example/'])
  })

  it('freegen reads a named pipe', async () => {
    const made = await runCommand(['freegen', join(newFolder(), 'crawl'), pipeOf(seeds), '--dry-run', ...acceptAll])
    expect(linesOf(made)).to.deep.equal(['http://a.example/1', 'http://a.example/2'])
  })

  it('import --from-dump reads a named pipe', async () => {
    const [from, to] = [join(newFolder(), 'from'), join(newFolder(), 'to')]
    await runCommand(['inject', from, '-', ...acceptAll], { stdin: seeds })
    const { stdout } = await runCommand(['readdb', from, '--dump', '--format', 'lines'])
    expect((await runCommand(['import', to, '--from-dump', pipeOf(stdout)])).json()).to.include({ read: 2, added: 2 })
    expect(await urlsOf(to)).to.deep.equal(await urlsOf(from))
  })

  it('inject reads a named pipe of its own while another process holds the CrawlDb', async () => {
    const folder = newFolder()
    const running = startCli(['crawl', join(folder, 'crawl'), 'http://127.0.0.1:9/', '--forever']) // refused by the address guard: asks nobody
    try {
      await running.waitFor(/address guard/)
      writeFileSync(join(folder, 'list'), seeds)
      const pipe = relative(folder, pipeOf('http://b.example/'))
      const asked = await runCli(['inject', 'crawl', pipe, 'list', '--no-filter'], { cwd: folder })
      expect(asked.json()[0], asked.stderr).to.include({ read: 3, added: 3 })
    } finally {
      running.kill()
      await running.result
    }
  })

  // As Kubernetes mounts a ConfigMap: each file is a link into a hidden folder that is exchanged as a whole.
  it('a folder gives the files that links in it lead to, and passes over links to folders', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, '..2026'))
    writeFileSync(join(folder, '..2026', 'list'), seeds)
    symlinkSync('..2026', join(folder, '..data'))
    symlinkSync(join('..data', 'list'), join(folder, 'list'))
    symlinkSync('..2026', join(folder, 'linked-folder'))
    const crawl = join(newFolder(), 'crawl')
    expect((await runCommand(['inject', crawl, folder, ...acceptAll])).json()).to.include({ read: 2, added: 2 })
  })

  it('names a link in a folder that leads nowhere', async () => {
    const folder = newFolder()
    symlinkSync('gone', join(folder, 'list'))
    const failure = await failureOf(runCommand(['inject', join(newFolder(), 'crawl'), folder]))
    expect(failure).to.include({ code: 'USAGE', message: `there is no seed file ${join(folder, 'list')}` })
  })
})
