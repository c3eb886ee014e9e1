import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type DumpedRecord, describeReport, type ReportPlay } from '../../support/play-report.js'
import { readFetchList } from '../../support/segment-files.js'

const nowMs = Date.UTC(2026, 0, 31)
const at = ['--now', String(nowMs)]

async function inject(play: ReportPlay, seeds: readonly string[]): Promise<string> {
  writeFileSync(join(play.folder(), 'seeds.txt'), `${seeds.join('\n')}\n`)
  const result = await play.run(['inject', 'crawl', 'seeds.txt', '--no-filter', ...at])
  expect(result.status, result.stderr).to.equal(0)
  return result.stderr
}

/** URLs of the list that generate makes with these arguments. */
async function generate(play: ReportPlay, args: readonly string[]): Promise<string[]> {
  const result = await play.run(['generate', 'crawl', '--no-filter', ...at, ...args])
  expect(result.status, result.stderr).to.equal(0)
  return readFetchList(join(play.folder(), 'crawl', 'segments', result.stdout.trim()))
}

async function records(play: ReportPlay): Promise<DumpedRecord[]> {
  return [...(await play.dump()).values()]
}

describeReport('R041', ['inject', 'generate', 'readdb'], play => {
  const odd = [
    ['nan', 'nutch.score=NaN'],
    ['inf', 'nutch.score=Infinity'],
    ['neg', 'nutch.score=-5'],
    ['big', 'nutch.score=1e400'],
    ['iv', 'nutch.fetchInterval=99999999999999'],
    ['iv0', 'nutch.fetchInterval=0'],
    ['ivn', 'nutch.fetchInterval=-1'],
  ].map(([name, metadata]) => `http://a.example/${name}\t${metadata}`)
  const plain = Array.from({ length: 9 }, (_, index) => `http://a.example/${index + 1}\tnutch.score=0.${index + 1}`)

  it('selects by score without the odd seeds', async () => {
    await inject(play, plain)
    expect(await generate(play, ['--top-n', '3'])).to.have.members(['http://a.example/9', 'http://a.example/8', 'http://a.example/7'])
  })

  it('keeps bad numbers out, and says line and key', async () => {
    const stderr = await inject(play, [...odd, ...plain])
    for (const line of [1, 2, 4, 5])
      expect(stderr, `line ${line}`).to.match(new RegExp(`\\b${line}\\b.*nutch\\.(score|fetchInterval)|nutch\\.(score|fetchInterval).*\\b${line}\\b`))
    const all = await records(play)
    for (const { url, score, retryIntervalSeconds } of all) {
      expect(Number.isFinite(score), url).to.equal(true)
      expect(retryIntervalSeconds, url).to.be.within(1, 7_776_000)
    }
    for (let tenths = 1; tenths <= 9; tenths++) expect(all.find(({ url }) => url.endsWith(`/${tenths}`))?.score).to.be.closeTo(tenths / 10, 1e-6)
    const stats = await play.run(['readdb', 'crawl', '--stats'])
    expect(stats.stdout).to.not.match(/NaN|Infinity/)
    const listed = await generate(play, ['--top-n', '16'])
    const order = listed.map(url => Number(url.split('/').at(-1))).filter(number => !Number.isNaN(number))
    expect([...order].sort((a, b) => b - a)).to.deep.equal([9, 8, 7, 6, 5, 4, 3, 2, 1])
  })
})

describeReport('R042', ['inject', 'generate'], play => {
  const scored = Array.from({ length: 30 }, (_, index) => {
    const host = `h${(index % 3) + 1}.example`
    return { host, url: `http://${host}/${index}`, score: (index + 1) / 100 }
  })
  const seeds = scored.map(({ url, score }) => `${url}\tnutch.score=${score}`)
  const best = (count: number) => scored.toSorted((a, b) => b.score - a.score).slice(0, count)
  const three = ['-D', 'generate.max.count=3']

  for (const { run, args, expected } of [
    { run: 'a: three of each host, the best', args: ['--top-n', '100', ...three], expected: best(9) },
    { run: 'b: the five best that respect it', args: ['--top-n', '5', ...three], expected: best(5) },
    { run: 'e: -1 is no limit', args: ['--top-n', '100', '-D', 'generate.max.count=-1'], expected: scored },
    { run: 'e: 0 is no limit', args: ['--top-n', '100', '-D', 'generate.max.count=0'], expected: scored },
  ]) {
    it(run, async () => {
      await inject(play, seeds)
      expect(await generate(play, args)).to.have.members(expected.map(({ url }) => url))
    })
  }

  it('f: subdomains share one count by domain', async () => {
    await inject(play, [...seeds, 'http://www.h1.example/w\tnutch.score=0.9', 'http://m.h1.example/m\tnutch.score=0.8'])
    const listed = await generate(play, ['--top-n', '100', ...three, '-D', 'generate.count.mode=domain'])
    const ofH1 = listed.filter(url => /\bh1\.example\//.test(url))
    expect(ofH1).to.have.members(['http://www.h1.example/w', 'http://m.h1.example/m', 'http://h1.example/27'])
    expect(listed).to.have.lengthOf(9)
  })
})
