import { spawn } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { millraceBin, runCli } from '../support/cli.js'
import { crawlOptions, recordLines } from '../support/crawled-folder.js'
import { type SpecServer, startServer } from '../support/server.js'
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.js'
import { useTempFolders } from '../support/temp-folder.js'

interface Run {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the program under a limit of the shell, such as `ulimit -f 100` (512-byte or 1024-byte blocks) or `ulimit -n 40`. */
async function runLimited(limit: string, args: readonly string[]): Promise<Run> {
  const child = spawn('sh', ['-c', `${limit} && exec "$@"`, 'sh', process.execPath, millraceBin, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr] = await Promise.all([child.stdout, child.stderr].map(async stream => Buffer.concat(await stream.toArray()).toString()))
  const status = child.exitCode ?? (await new Promise<number | null>(resolve => child.once('close', resolve)))
  return { status, stdout: stdout as string, stderr: stderr as string }
}

/** A failure says its code and the facts, ends with 3, and does not repeat itself. */
function expectClearFailure({ status, stderr }: Run, code: RegExp): void {
  expect(status, stderr).to.equal(3)
  expect(stderr).to.match(code)
  expect(stderr, 'a defect').to.not.match(/UNEXPECTED|\n {4}at /)
  expect(stderr.split('\n').length).to.be.below(30)
}

describe('faults of the system', function () {
  this.timeout(60_000)
  const newFolder = useTempFolders()
  let server: SpecServer
  before(async () => {
    const filler = 'x'.repeat(60_000)
    server = await startServer({
      routes: {
        '/small*': { body: '<title>t</title><a href="/small0">l</a>' },
        '/p*': (request, response) => {
          const noise = Array.from({ length: 1500 }, (_, index) => ((Number(request.url?.slice(2)) + 7) * (index + 3) * 2_654_435_761) % 1e9).join(
            ' ',
          )
          response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>t</title>${noise}${filler}`)
        },
      },
    })
  })
  after(() => server.close())

  const seedsOf = (count: number, path = 'p'): string => Array.from({ length: count }, (_, index) => `${server.origin()}/${path}${index}\n`).join('')
  const injectArgs = (crawl: string, seeds: string): string[] => ['inject', crawl, seeds, '--no-filter', '-D', 'millrace.merge.batch=200']

  function manySeeds(folder: string, count = 20_000): string {
    const seeds = join(folder, 'seeds.txt')
    writeFileSync(seeds, Array.from({ length: count }, (_, index) => `http://h${index % 100}.example/some/longer/path/of/a/page/${index}\n`).join(''))
    return seeds
  }

  async function countOf(crawl: string): Promise<number> {
    const verified = await runCli(['readdb', crawl, '--verify'])
    expect(verified.status, verified.stdout + verified.stderr).to.equal(0)
    return (await recordLines(crawl)).filter(line => line !== '').length
  }

  const withDisk = (folder: string, sizeMib: number, skip: () => never): SmallDisk => mountSmallDisk(folder, sizeMib) ?? skip()

  it('a disk that is full during inject: it says how many are committed, they can be read, and the next run ends it', async function () {
    const folder = newFolder()
    const seeds = manySeeds(folder)
    const mount = join(folder, 'disk')
    const disk = withDisk(mount, 2, () => this.skip())
    try {
      const full = await runCli(injectArgs(join(mount, 'crawl'), seeds))
      expectClearFailure(full, /DISK_FULL/)
      const committed = Number(/committed (\d+) URLs/.exec(full.stderr)?.[1])
      disk.resize(40)
      expect(await countOf(join(mount, 'crawl'))).to.be.within(committed, 20_000)
      const again = await runCli(injectArgs(join(mount, 'crawl'), seeds))
      expect(again.status, again.stderr).to.equal(0)
      expect(await countOf(join(mount, 'crawl'))).to.equal(20_000)
    } finally {
      disk.unmount()
    }
  })

  it('a disk that is full during a crawl, at whatever write: what was stored is whole, and the crawl goes on when there is room', async function () {
    const folder = newFolder()
    const mount = join(folder, 'disk')
    const disk = withDisk(mount, 40, () => this.skip())
    try {
      const crawl = join(mount, 'crawl')
      writeFileSync(join(folder, 'seeds.txt'), seedsOf(60))
      const args = ['crawl', crawl, '--seeds', join(folder, 'seeds.txt'), '--rounds', '1', ...crawlOptions(folder)]
      for (const sizeKib of [200, 600]) {
        rmSync(crawl, { recursive: true, force: true })
        disk.resizeKib(sizeKib)
        const full = await runCli(args)
        expectClearFailure(full, /DISK_FULL|ENOSPC/)
        disk.resize(40)
        const again = await runCli(args)
        expect(again.status, again.stderr).to.equal(0)
        const lines = await recordLines(crawl)
        expect(
          lines.filter(line => line.includes('"status":"db_fetched"')),
          `${sizeKib} KiB`,
        ).to.have.lengthOf(60)
        const checked = await runCli(['doctor', crawl])
        expect(checked.status, checked.stdout).to.equal(0)
      }
    } finally {
      disk.unmount()
    }
  })

  it('files that may not grow any more (ulimit -f): an error, and the next run ends it', async () => {
    const folder = newFolder()
    const seeds = manySeeds(folder)
    const crawl = join(folder, 'crawl')
    const full = await runLimited('ulimit -f 600', injectArgs(crawl, seeds))
    expectClearFailure(full, /DISK_FULL/)
    const again = await runCli(injectArgs(crawl, seeds))
    expect(again.status, again.stderr).to.equal(0)
    expect(await countOf(crawl)).to.equal(20_000)
  })

  it('too many open files: an error or nothing at all, and the next run goes on', async () => {
    const folder = newFolder()
    const crawl = join(folder, 'crawl')
    writeFileSync(join(folder, 'seeds.txt'), seedsOf(100))
    const args = [
      'crawl',
      crawl,
      '--seeds',
      join(folder, 'seeds.txt'),
      '--rounds',
      '1',
      ...crawlOptions(folder, ['fetcher.threads.fetch=50', 'fetcher.threads.per.queue=50']),
    ]
    for (const files of [60, 90]) {
      const short = await runLimited(`ulimit -n ${files}`, args)
      if (short.status !== 0) expectClearFailure(short, /EMFILE|too many open files/i)
    }
    rmSync(join(crawl, 'crawl.json'), { force: true })
    const again = await runCli(args)
    expect(again.status, again.stderr).to.equal(0)
    expect(await countOf(crawl)).to.equal(100)
  })

  it('a folder that may not be written: an error that names it', async function () {
    const folder = newFolder()
    const mount = join(folder, 'disk')
    const disk = withDisk(mount, 10, () => this.skip())
    try {
      const crawl = join(mount, 'crawl')
      const seeds = manySeeds(folder, 100)
      await runCli(injectArgs(crawl, seeds))
      disk.makeReadOnly()
      for (const args of [injectArgs(crawl, seeds), ['generate', crawl], ['readdb', crawl, '--stats']]) {
        const refused = await runCli(args)
        expectClearFailure(refused, /IO_FAILED|EROFS/)
        expect(refused.stderr).to.include(mount)
      }
    } finally {
      disk.unmount()
    }
  })

  it('a table with flipped bytes: no record is lost or changed unseen', async () => {
    const folder = newFolder()
    const seeds = manySeeds(folder, 3000)
    const sound = join(folder, 'sound')
    await runCli(injectArgs(sound, seeds))
    await runCli(['readdb', sound, '--stats'])
    const expected = await recordLines(sound)
    const table = readdirSync(join(sound, 'crawldb')).find(name => name.endsWith('.ldb')) as string
    const seen: number[] = []
    for (const part of [0.1, 0.5]) {
      const crawl = join(folder, `damaged-${part}`)
      cpSync(sound, crawl, { recursive: true })
      const file = join(crawl, 'crawldb', table)
      const bytes = readFileSync(file)
      for (let at = Math.floor(bytes.length * part); at < bytes.length * part + 40; at++) bytes[at] = (bytes[at] as number) ^ 0x3c
      writeFileSync(file, bytes)
      const dump = await runCli(['readdb', crawl, '--dump', '--format', 'lines'])
      if (dump.status === 0) expect(dump.stdout.trimEnd().split('\n')).to.deep.equal(expected)
      else expectClearFailure(dump, /DB_DAMAGED|RECORD_CORRUPT/)
      const verified = (await runCli(['readdb', crawl, '--verify'])).status ?? 0
      if (dump.status !== 0) expect(verified, `damage at ${part} is not seen`).to.be.oneOf([3, 4]) // what is superseded may be damaged unseen
      seen.push(verified)
      const repaired = await runCli(['doctor', crawl, '--repair'])
      expect(repaired.status, repaired.stdout + repaired.stderr).to.equal(0)
      expect(await countOf(crawl)).to.be.at.most(3000)
    }
    expect(seen.filter(status => status > 0)).to.not.be.empty
  })

  it('segment files that were cut or overwritten at their ends: what is committed counts, and the crawl goes on', async () => {
    const folder = newFolder()
    const sound = join(folder, 'sound')
    writeFileSync(join(folder, 'seeds.txt'), seedsOf(20, 'small'))
    const options = crawlOptions(folder)
    await runCli(['inject', sound, join(folder, 'seeds.txt'), ...options.slice(0, 2)])
    await runCli(['generate', sound, ...options.slice(0, 2)])
    await runCli(['fetch', sound, '--parse', ...options])
    const [segment] = readdirSync(join(sound, 'segments')) as [string]
    rmSync(join(sound, 'segments', segment, 'steps.json'))
    const names = readdirSync(join(sound, 'segments', segment)).filter(name => name !== 'crawl_generate.ndjson')
    expect(names).to.have.length.above(4)
    for (const name of names) {
      for (const how of /^(?:crawl_fetch|content-)/.test(name) ? (['cut', 'overwritten'] as const) : (['cut'] as const)) {
        const crawl = join(folder, `${how}-${name}`)
        cpSync(sound, crawl, { recursive: true })
        damageTail(join(crawl, 'segments', segment, name), how)
        const again = await runCli(['crawl', crawl, '--rounds', '1', ...options])
        expect(again.status, `${name} ${how}: ${again.stderr}`).to.equal(0)
        const lines = await recordLines(crawl)
        expect(
          lines.filter(line => line.includes('"status":"db_fetched"')),
          `${name} ${how}`,
        ).to.have.lengthOf(20)
      }
    }
  })

  it('a heap that is small: a crawl comes to its end', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'seeds.txt'), seedsOf(60))
    const crawl = join(folder, 'crawl')
    const run = await runCli(['crawl', crawl, '--seeds', join(folder, 'seeds.txt'), '--rounds', '1', ...crawlOptions(folder)], {
      nodeArgs: ['--max-old-space-size=80'],
    })
    expect(run.status, run.stderr).to.equal(0)
    expect(await countOf(crawl)).to.equal(60)
  })
})

function damageTail(file: string, how: 'cut' | 'overwritten'): void {
  const { size } = statSync(file)
  if (how === 'cut') {
    truncateSync(file, Math.max(0, size - 37))
    return
  }
  const bytes = readFileSync(file)
  bytes.fill(0, Math.max(0, size - 37))
  writeFileSync(file, bytes)
}
