import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { DbDatum } from '../../lib/record/records.js'
import { listSegments } from '../../lib/segment/segment.js'
import { generate } from '../../pipelines/generate.js'
import type { GenerateJob } from '../../pipelines/generate-job.js'
import { withJobDb } from '../../pipelines/job.js'
import { dbDatum } from '../support/db-datum.js'
import { allRecords, putRecords, specJob, specTimeMs } from '../support/job-fixture.js'
import { killedAtCommit } from '../support/kill-at-commit.js'
import { runCommand } from '../support/run-command.js'
import { readFetchList } from '../support/segment-files.js'
import { useTempFolders } from '../support/temp-folder.js'

const dayMs = 86_400_000
/** Thirty records on three hosts, scores 0.01 to 0.30, as in the report NUTCH-2574. */
const thirty: readonly DbDatum[] = Array.from({ length: 30 }, (_, index) =>
  dbDatum({ url: `http://h${(index % 3) + 1}.example/${index}`, score: (index + 1) / 100, fetchTimeMs: specTimeMs - 1 }),
)
const hostOf = (url: string): string => new URL(url).host

describe('generate', () => {
  const newFolder = useTempFolders()

  async function lists(records: readonly DbDatum[], args: readonly string[]): Promise<string[][]> {
    const folder = newFolder()
    await putRecords(specJob(folder), records)
    return listsIn(folder, args)
  }
  async function listsIn(folder: string, args: readonly string[]): Promise<string[][]> {
    const { stdout } = await runCommand(['generate', folder, '--no-filter', ...args])
    return stdout
      .split('\n')
      .filter(name => name !== '')
      .map(name => readFetchList(join(folder, 'segments', name)))
  }
  const countByHost = (urls: readonly string[]): Record<string, number> => {
    const counts: Record<string, number> = {}
    for (const url of urls) counts[hostOf(url)] = (counts[hostOf(url)] ?? 0) + 1
    return counts
  }

  it('fills a second segment with what is over in the first, each within the limit of a host', async () => {
    const [first = [], second = [], ...more] = await lists(thirty, ['--top-n', '100', '--max-num-segments', '2', '--max-per-host', '3'])
    expect(more).to.deep.equal([])
    const three = { 'h1.example': 3, 'h2.example': 3, 'h3.example': 3 }
    expect(countByHost(first)).to.deep.equal(three)
    expect(countByHost(second)).to.deep.equal(three)
    expect(new Set([...first, ...second]).size).to.equal(18)
    expect(first).to.have.members(thirty.slice(21).map(({ url }) => url))
    expect(second).to.have.members(thirty.slice(12, 21).map(({ url }) => url))
  })

  it('keeps to the number of URLs in each of several segments', async () => {
    const [first = [], second = []] = await lists(thirty, ['--top-n', '7', '--max-num-segments', '2'])
    expect([first.length, second.length]).to.deep.equal([7, 7])
    expect(first).to.have.members(thirty.slice(23).map(({ url }) => url))
    expect(second).to.have.members(thirty.slice(16, 23).map(({ url }) => url))
  })

  it('keeps to both limits at once', async () => {
    const segments = await lists(thirty, ['--top-n', '7', '--max-num-segments', '2', '--max-per-host', '3'])
    for (const list of segments) {
      expect(list.length).to.be.at.most(7)
      expect(Math.max(...Object.values(countByHost(list)))).to.be.at.most(3)
    }
    expect(segments.flat().length).to.equal(14)
  })

  it('makes no more segments than are needed', async () => {
    expect(await lists(thirty, ['--top-n', '30', '--max-num-segments', '5'])).to.have.lengthOf(1)
  })

  it('counts subdomains as one by domain', async () => {
    const records = [
      ...thirty,
      dbDatum({ url: 'http://www.h1.example/w', score: 0.9, fetchTimeMs: 0 }),
      dbDatum({ url: 'http://m.h1.example/m', score: 0.8, fetchTimeMs: 0 }),
    ]
    const [list = []] = await lists(records, ['--max-per-host', '3', '-D', 'generate.count.mode=domain'])
    expect(list.filter(url => url.includes('h1.example'))).to.have.members([
      'http://www.h1.example/w',
      'http://m.h1.example/m',
      'http://h1.example/27',
    ])
  })

  it('counts hosts in the form of scope generate_host_count, and lists URLs as they are', async () => {
    const hosts = join(newFolder(), 'hosts.txt')
    writeFileSync(hosts, 'www.h1.example h1.example\nm.h1.example h1.example\n')
    const scope = ['-D', 'urlnormalizer.scope.generate_host_count=basic,host', '-D', `urlnormalizer.hosts.file=${hosts}`]
    const mirrors = [
      dbDatum({ url: 'http://www.h1.example/w', score: 0.9, fetchTimeMs: 0 }),
      dbDatum({ url: 'http://m.h1.example/m', score: 0.8, fetchTimeMs: 0 }),
    ]
    const [list = []] = await lists([...thirty, ...mirrors], ['--max-per-host', '3', ...scope])
    expect(list.filter(url => url.includes('h1.example'))).to.have.members([
      'http://www.h1.example/w',
      'http://m.h1.example/m',
      'http://h1.example/27',
    ])
    expect(list).to.have.lengthOf(9)
  })

  it('deals hosts out in the form of scope partition, and lists URLs as they are', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `h${index}.example`)
    const hosts = join(newFolder(), 'hosts.txt')
    writeFileSync(hosts, names.map(name => `www.${name} ${name}\n`).join(''))
    const mirrored = names.flatMap(name => [name, `www.${name}`]).map(host => dbDatum({ url: `http://${host}/`, fetchTimeMs: 0 }))
    const scope = ['-D', 'urlnormalizer.scope.partition=basic,host', '-D', `urlnormalizer.hosts.file=${hosts}`]
    const made = await lists(mirrored, ['--lists', '4', ...scope])
    expect(made.flat()).to.have.members(mirrored.map(({ url }) => url))
    for (const list of made) for (const url of list) expect(list).to.include(url.replace(/^http:\/\/(?:www\.)?/, 'http://www.'))
  })

  it('splits into lists with no host in two, and the same hosts in a list of the next generate', async () => {
    const many = Array.from({ length: 200 }, (_, index) => dbDatum({ url: `http://h${index % 40}.example/${index}`, fetchTimeMs: 0 }))
    const folder = newFolder()
    await putRecords(specJob(folder), many)
    const first = await listsIn(folder, ['--top-n', '100', '--lists', '3'])
    const second = await listsIn(folder, ['--top-n', '100', '--lists', '3'])
    expect(first).to.have.lengthOf(3)
    expect([...first.flat(), ...second.flat()]).to.have.members(many.map(({ url }) => url))
    const placeOf = new Map<string, number>()
    for (const lists of [first, second]) {
      for (const [index, list] of lists.entries()) {
        for (const host of list.map(hostOf)) {
          expect(placeOf.get(host) ?? index, host).to.equal(index)
          placeOf.set(host, index)
        }
      }
    }
    expect(placeOf.size).to.equal(40)
  })

  it('keeps a domain in one list where queues are by domain', async () => {
    const many = Array.from({ length: 60 }, (_, index) => dbDatum({ url: `http://w${index}.d${index % 6}.example/`, fetchTimeMs: 0 }))
    const split = await lists(many, ['--lists', '4', '-D', 'fetcher.queue.mode=byDomain'])
    const domains = split.map(list => new Set(list.map(url => hostOf(url).replace(/^w\d+\./, ''))))
    expect(domains.reduce((sum, { size }) => sum + size, 0)).to.equal(6)
  })

  for (const { args, urls } of [
    { args: ['--expr', 'score >= 0.295'], urls: ['http://h3.example/29'] },
    { args: ['--expr', "url =~ '.*/2[0-2]'"], urls: ['http://h3.example/20', 'http://h1.example/21', 'http://h2.example/22'] },
    { args: ['--min-score', '0.295'], urls: ['http://h3.example/29'] },
    { args: ['--status', 'fetched'], urls: ['http://a.example/fetched'] },
    { args: ['--status', 'fetched', '--add-days', '2'], urls: ['http://a.example/fetched', 'http://a.example/tomorrow'] },
    { args: ['-D', 'generate.min.interval=3600'], urls: ['http://a.example/fetched'] },
  ]) {
    it(`takes ${urls.length} with ${args.join(' ')}`, async () => {
      const others = [
        dbDatum({ url: 'http://a.example/fetched', status: 'db_fetched', score: 0.1, fetchTimeMs: specTimeMs - 1, fetchIntervalS: 3600 }),
        dbDatum({ url: 'http://a.example/tomorrow', status: 'db_fetched', score: 0.1, fetchTimeMs: specTimeMs + dayMs, fetchIntervalS: 7200 }),
      ]
      const [list = []] = await lists([...thirty, ...others], args)
      expect(list).to.have.members(urls)
    })
  }

  it('refuses a status that there is none of', async () => {
    const error: unknown = await lists(thirty, ['--status', 'fetching']).catch(thrown => thrown)
    expect(error).to.include({ code: 'CONFIG_INVALID' })
  })

  it('locks the lists of one generate, each to its own segment', async () => {
    const folder = newFolder()
    await putRecords(specJob(folder), thirty)
    const { stdout } = await runCommand(['generate', folder, '--top-n', '10', '--max-num-segments', '2', '--no-filter'])
    const [first = '', second = ''] = stdout.split('\n')
    const records = await allRecords(specJob(folder))
    for (const name of [first, second])
      for (const url of readFetchList(join(folder, 'segments', name))) expect(records.get(url)?.metadata['nutch.segment.name']).to.equal(name)
  })

  it('ends with the same lists and locks wherever it is killed, and leaves no trace where it had not begun', async () => {
    const job = (folder: string): GenerateJob => ({ context: specJob(folder), topN: 6, maxSegments: 3 })
    const state = async (folder: string): Promise<Record<string, unknown>> => {
      const segments = await listSegments(join(folder, 'segments'))
      return { records: await allRecords(specJob(folder)), lists: segments.map(({ name, folder: path }) => [name, readFetchList(path)]) }
    }
    const whole = newFolder()
    await putRecords(specJob(whole), thirty)
    await withJobDb(specJob(whole), crawlDb => generate(crawlDb, job(whole)))
    const expected = await state(whole)
    let kills = 0
    for (let at = 0; ; at++, kills++) {
      const folder = newFolder()
      await putRecords(specJob(folder), thirty)
      const isKilled = await withJobDb(specJob(folder), crawlDb =>
        killedAtCommit(crawlDb, at, async () => void (await generate(crawlDb, job(folder)))),
      )
      if (!isKilled) break
      const report = await withJobDb(specJob(folder), crawlDb => generate(crawlDb, job(folder)))
      expect(report?.items, `killed at commit ${at}`).to.equal(18)
      expect(await state(folder), `killed at commit ${at}`).to.deep.equal(expected)
    }
    expect(kills).to.be.above(3)
  })

  describe('planner', () => {
    const politeness = {
      'h2.example': { nextMs: specTimeMs + 60_000, delayMs: 20_000, source: 'crawl-delay', failures: 0, throttleMs: 0, isSerial: true },
      'h3.example': { nextMs: specTimeMs + 30_000, delayMs: 600_000, source: 'retry-after', failures: 1, throttleMs: 0, isSerial: false },
    }
    async function folderWithPoliteness(): Promise<string> {
      const folder = newFolder()
      await putRecords(specJob(folder), thirty)
      writeFileSync(join(folder, 'politeness.json'), JSON.stringify(politeness))
      return folder
    }

    it('says what each host needs, longest first, and locks nothing', async () => {
      const folder = await folderWithPoliteness()
      const { stdout } = await runCommand(['generate', folder, '--no-filter', '--plan'])
      // Ten URLs of each host, so nine delays: 5 s by option; a Crawl-delay of 20 s from 60 s on; the usual delay once Retry-After is over.
      expect(stdout.split('\n')).to.deep.equal([
        '*\t{"items":30,"queues":3,"needMs":240000}',
        'h2.example\t{"items":10,"delayMs":20000,"delaySource":"crawl-delay","waitMs":60000,"needMs":240000}',
        'h3.example\t{"items":10,"delayMs":5000,"delaySource":"option","waitMs":30000,"needMs":75000}',
        'h1.example\t{"items":10,"delayMs":5000,"delaySource":"option","waitMs":0,"needMs":45000}',
        '',
      ])
      expect([...(await allRecords(specJob(folder))).values()].filter(({ metadata }) => Object.keys(metadata).length > 0)).to.deep.equal([])
    })

    it('fills a list to a time budget, host by host', async () => {
      const [list = []] = await listsIn(await folderWithPoliteness(), ['--fit', '62s'])
      // Within 62 s: all ten of h1 (45 s); one of h2, whose turn comes at 60 s; of h3 from 30 s on one each 5 s: seven.
      expect(countByHost(list)).to.deep.equal({ 'h1.example': 10, 'h2.example': 1, 'h3.example': 7 })
      expect(list.filter(url => hostOf(url) === 'h2.example')).to.deep.equal(['http://h2.example/28'])
    })

    it('leaves a host out that may not be asked within the budget', async () => {
      const [list = []] = await listsIn(await folderWithPoliteness(), ['--fit', '20s'])
      expect(countByHost(list)).to.deep.equal({ 'h1.example': 5 })
    })
  })
})
