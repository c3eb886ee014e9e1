import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { runCli } from '../support/cli.js'
import { makeCrawledFolder } from '../support/crawled-folder.js'
import { runShell } from '../support/shell.js'
import { useTempFolders } from '../support/temp-folder.js'

/** Prints a million URLs, or as many as are taken. */
const manyUrls = `${process.execPath} -e "process.stdout.on('error', () => process.exit()); let n = 0; (function more() { while (n < 1e6 && process.stdout.write('http://a.example/' + n++ + '\\n')); if (n < 1e6) process.stdout.once('drain', more) })()"`

describe('pipes', () => {
  const newFolder = useTempFolders()

  it('a reader that takes one line ends the commands before it, without an error', async () => {
    const script = `${manyUrls} | { millrace normalize; echo "normalize $?" >&2; } | { millrace filter --rules rules.txt; echo "filter $?" >&2; } | head -n 1`
    const folder = newFolder()
    writeFileSync(join(folder, 'rules.txt'), '+.\n')
    const { status, stdout, stderr } = await runShell(script, {}, folder)
    expect(status).to.equal(0)
    expect(stdout).to.match(/^http:\/\/a\.example\/0\t\{.*\}\n$/)
    expect(stderr)
      .to.match(/normalize 0/)
      .and.match(/filter 0/)
    expect(stderr).to.not.match(/EPIPE|Error/)
  })

  it('a reader that goes does not end a doctor between two repairs', async function () {
    this.timeout(60_000)
    const crawl = await makeCrawledFolder(newFolder())
    const segments = readdirSync(join(crawl, 'segments'))
    expect(segments).to.have.lengthOf(2)
    for (const name of segments) rmSync(join(crawl, 'segments', name, 'manifest.json'))
    await runShell(`millrace doctor ${crawl} --repair | true`, {}, newFolder())
    const after = await runCli(['doctor', crawl])
    expect(after.stdout).to.equal('')
    expect(after.status).to.equal(0)
  })

  it('a full disk under stdout is told as such, and ends with 3', async function () {
    if (!existsSync('/dev/full')) this.skip()
    const { status, stderr } = await runShell('millrace config > /dev/full', {}, newFolder())
    expect(status).to.equal(3)
    expect(stderr).to.match(/^millrace: DISK_FULL: no space left for stdout: /)
    expect(stderr.trim().split('\n'), 'no stack').to.have.lengthOf(1)
  })

  it('seeds go from one command to the next and into the CrawlDb', async () => {
    const folder = newFolder()
    writeFileSync(
      join(folder, 'seeds.txt'),
      'HTTP://A.example:80/x\tnutch.score=2\n\n# no seed\nhttp://b.example/skip\nhttp://b.example/y\tcolour=red\n',
    )
    writeFileSync(join(folder, 'rules.txt'), '-skip\n+.\n')
    const script =
      'cat seeds.txt | millrace normalize | millrace filter --rules rules.txt | millrace inject crawl -q && millrace readdb crawl --dump --format json'
    const { status, stdout, stderr } = await runShell(script, {}, folder)
    expect(status, stderr).to.equal(0)
    const lines = stdout.trim().split('\n')
    const records = lines
      .slice(1)
      .map(line => JSON.parse(line) as { url: string; score: number; statusName: string; metadata: Record<string, string> })
    expect(JSON.parse(lines[0] ?? '')).to.include({ added: 2 })
    expect(records.map(({ url, score, statusName, metadata }) => [url, score, statusName, metadata.colour])).to.deep.equal([
      ['http://a.example/x', 2, 'db_unfetched', undefined],
      ['http://b.example/y', 1, 'db_unfetched', 'red'],
    ])
  })

  it('inject without a file and without anything at stdin is wrong use, told at once', async () => {
    const result = await runCli(['inject', 'crawl'], { cwd: newFolder() })
    expect(result.status).to.equal(2)
    expect(result.stderr).to.match(/no seeds: name a file, or pipe them in/)
  })

  it('a pipe that says nothing is left alone when a file is named', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'seeds.txt'), 'http://a.example/\n')
    const result = await runCli(['inject', 'crawl', 'seeds.txt'], { cwd: folder, stdin: 'open' })
    expect(result.status, result.stderr).to.equal(0)
  })
})
