import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { startCli } from '../support/cli.js'
import { describeReport } from '../support/play-report.js'
import { mountSmallDisk } from '../support/small-disk.js'

describeReport('R050', ['inject', 'crawl', 'readdb'], play => {
  it('keeps what was saved when the disk is full, and goes on when it is enlarged', async function () {
    this.timeout(300_000)
    const folder = join(play.folder(), 'disk')
    mkdirSync(folder)
    const disk = mountSmallDisk(folder, 12)
    if (disk === undefined) this.skip()
    try {
      const seeds = Array.from({ length: 300_000 }, (_, index) => `http://h${index % 1000}.example/p${index}\n`).join('')
      const inject = () => play.run(['inject', 'disk/crawl', '--rules', 'accept-all.txt'], { stdin: seeds, timeoutMs: 120_000 })
      const total = async () => {
        const { status, stdout, stderr } = await play.run(['readdb', 'disk/crawl', '--stats', '--json'])
        expect(status, stderr).to.equal(0)
        return Number(/"total(?:Urls)?":\s*(\d+)/.exec(stdout)?.[1])
      }
      const full = await inject()
      expect(full.status).to.equal(3)
      expect(full.stderr).to.match(/DISK_FULL/)
      const committed = Number(/committed (\d+) URLs/.exec(full.stderr)?.[1])
      expect(full.stderr.length).to.be.below(4000)
      disk.resize(300)
      expect(await total()).to.be.within(committed, 300_000)
      const again = await inject()
      expect(again.status, again.stderr).to.equal(0)
      expect(await total()).to.equal(300_000)
    } finally {
      disk.unmount()
    }
  })

  it('marks no page as fetched whose content is not stored', async function () {
    this.timeout(300_000)
    const folder = join(play.folder(), 'crawl')
    mkdirSync(folder)
    const disk = mountSmallDisk(folder, 12)
    if (disk === undefined) this.skip()
    try {
      writeFileSync(join(play.folder(), 'seeds.txt'), Array.from({ length: 2000 }, (_, index) => play.server().fill(`{A}/page/${index}\n`)).join(''))
      const limits = ['-D', 'fetcher.server.delay=0', '-D', 'fetcher.threads.per.queue=8', '--allow-address', 'loopback', '--rules', 'accept-all.txt']
      const crawl = () => play.run(['crawl', 'crawl', '--seeds', 'seeds.txt', '--rounds', '1', ...limits], { timeoutMs: 200_000 })
      writeFileSync(join(folder, 'ballast'), Buffer.alloc(9 * 1024 * 1024))
      const full = await crawl()
      expect(full.status, full.stderr).to.equal(3)
      expect(full.stderr).to.match(/DISK_FULL/)
      disk.resize(300)
      const stored = await play.run(['readdb', 'crawl', '--verify'])
      expect(stored.status, stored.stdout + stored.stderr).to.equal(0)
      const again = await crawl()
      expect(again.status, again.stderr).to.equal(0)
      const statuses = [...(await play.dump()).values()].map(({ statusName }) => statusName)
      expect(statuses.filter(status => status === 'db_fetched')).to.have.lengthOf(2000)
    } finally {
      disk.unmount()
    }
  })
})

describeReport('R054', ['crawl', 'readdb'], play => {
  it('reads or cancels every body: memory and sockets stay bounded over 3,000 bodies of 1 MiB', async function () {
    this.timeout(600_000)
    const { fill } = play.server()
    const seeds = Array.from({ length: 3000 }, (_, index) => fill(`{A}/${'nrv'[index % 3]}/${index}\n`)).join('')
    writeFileSync(join(play.folder(), 'seeds.txt'), seeds)
    writeFileSync(join(play.folder(), 'rules.txt'), '-^http://filtered\\.example\n+.\n')
    const options = ['fetcher.server.delay=0', 'fetcher.threads.per.queue=8', 'fetcher.threads.fetch=50', 'http.agent.name=testbot']
    const args = ['crawl', 'crawl', '--seeds', 'seeds.txt', '--rounds', '1', '--rules', 'rules.txt', '--allow-address', 'loopback', '--workers', '0']
    const running = startCli([...args, ...options.flatMap(pair => ['-D', pair])], {
      cwd: play.folder(),
      nodeArgs: ['--max-old-space-size=128'],
      timeoutMs: 500_000,
    })
    const samples: { readonly requests: number; readonly rssMib: number }[] = []
    const timer = setInterval(() => samples.push({ requests: play.server().requests.length, rssMib: residentMib(running.child.pid) }), 100)
    const { status, stderr } = await running.result
    clearInterval(timer)
    expect(status, stderr).to.equal(0)
    expect(stderr).to.not.match(/MaxListenersExceeded/)
    expect((await play.dump()).size).to.equal(3000)
    expect(play.server().maxOpenSockets()).to.be.at.most(8)
    const middleOf = (from: number, to: number): number => {
      const within = samples.filter(({ requests }) => requests > from && requests <= to).map(({ rssMib }) => rssMib)
      return within.sort((a, b) => a - b)[within.length >> 1] ?? Number.NaN
    }
    expect(Math.max(...samples.map(({ rssMib }) => rssMib))).to.be.within(50, 300)
    expect(middleOf(2500, 3001) - middleOf(250, 750)).to.be.below(20)
  })
})

/** Resident memory of a process, or 0 where it cannot be seen. */
function residentMib(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
