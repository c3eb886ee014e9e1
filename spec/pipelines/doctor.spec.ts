import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ClassicLevel } from 'classic-level'
import { keepInternalLinks, makeCrawledFolder, recordLines } from '../support/crawled-folder.js'
import { type CommandRun, runCommand } from '../support/run-command.js'
import { useTempFolders } from '../support/temp-folder.js'

interface Finding {
  readonly part: string
  readonly problem: string
  readonly isNote?: boolean
  readonly isRepaired: boolean
}

const findingsOf = (run: CommandRun): Finding[] =>
  run.stdout === ''
    ? []
    : run.stdout
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line) as Finding) // the documented form

describe('millrace doctor', function () {
  this.timeout(30_000)
  const newFolder = useTempFolders()
  let sound: string
  let soundRecords: string[]

  before(async () => {
    sound = await makeCrawledFolder(newFolder())
    soundRecords = await recordLines(sound)
    expect(soundRecords.length).to.be.above(20)
  })

  function copy(): string {
    const crawl = join(newFolder(), 'crawl')
    cpSync(sound, crawl, { recursive: true })
    return crawl
  }

  const doctor = (crawl: string, ...options: string[]): Promise<CommandRun> =>
    runCommand(['doctor', crawl, '--json', ...options, ...keepInternalLinks])
  const fileIn = (crawl: string, pattern: RegExp, part = 'crawldb'): string =>
    join(crawl, part, readdirSync(join(crawl, part)).find(name => pattern.test(name)) ?? 'none')
  const halve = (file: string): void => truncateSync(file, Math.floor(statSync(file).size / 2))
  const segmentsOf = (crawl: string): string[] =>
    readdirSync(join(crawl, 'segments'))
      .sort()
      .map(name => join(crawl, 'segments', name))

  async function changeLevel(crawl: string, change: (level: ClassicLevel<string, Buffer>) => Promise<unknown>, part = 'crawldb'): Promise<void> {
    const level = new ClassicLevel<string, Buffer>(join(crawl, part), { valueEncoding: 'buffer' })
    await level.open()
    await change(level)
    await level.close()
  }

  /** Found and left alone without --repair, repaired with it, and well afterwards. */
  async function expectRepaired(crawl: string, part: string, problem: RegExp): Promise<void> {
    const seen = await doctor(crawl)
    expect(seen.status, seen.stdout).to.equal(4)
    expect(
      findingsOf(seen)
        .filter(({ isNote }) => isNote !== true)
        .map(finding => finding.part),
    ).to.include(part)
    expect(seen.stdout).to.match(problem)
    expect(findingsOf(seen).filter(({ isRepaired }) => isRepaired)).to.deep.equal([])
    expect((await doctor(crawl)).status, 'changed without --repair').to.equal(4)
    const repaired = await doctor(crawl, '--repair')
    expect(repaired.status, repaired.stdout).to.equal(0)
    const after = await doctor(crawl)
    expect(after.status, after.stdout).to.equal(0)
  }

  it('finds nothing in a sound folder', async () => {
    const run = await doctor(sound)
    expect(findingsOf(run)).to.deep.equal([])
    expect(run.status).to.equal(0)
  })

  for (const { what, damage, problem } of [
    { what: 'whose MANIFEST is cut in half', damage: (crawl: string) => halve(fileIn(crawl, /^MANIFEST/)), problem: /MANIFEST/ },
    { what: 'without CURRENT', damage: (crawl: string) => rmSync(join(crawl, 'crawldb', 'CURRENT')), problem: /CURRENT/ },
    { what: 'without a seal that reads', damage: (crawl: string) => halve(join(crawl, 'crawldb.seal')), problem: /seal/ },
  ]) {
    it(`rebuilds a CrawlDb ${what}, record for record, and keeps the damaged one`, async () => {
      const crawl = copy()
      damage(crawl)
      await expectRepaired(crawl, 'crawldb', problem)
      expect(await recordLines(crawl)).to.deep.equal(soundRecords)
      expect(existsSync(join(crawl, 'crawldb.damaged-1'))).to.equal(true)
      expect((await runCommand(['updatedb', crawl])).status, 'a segment was forgotten in the ledger').to.equal(1)
    })
  }

  it('builds a CrawlDb that is gone from the segments: all that they tell, at its own times', async () => {
    const crawl = copy()
    rmSync(join(crawl, 'crawldb'), { recursive: true })
    await expectRepaired(crawl, 'crawldb', /CURRENT/)
    expect(await recordLines(crawl)).to.deep.equal(soundRecords)
  })

  it('makes indexes anew that do not fit the records', async () => {
    const crawl = copy()
    await changeLevel(crawl, async level => {
      const [key] = await level.keys({ gte: '!wait!', lt: '!wait"', limit: 1 }).all()
      await level
        .batch()
        .del(key as string)
        .put('!due!x\u000144b60http/', Buffer.alloc(0))
        .write()
    })
    await expectRepaired(crawl, 'crawldb', /indexes or counts/)
    expect(await recordLines(crawl)).to.deep.equal(soundRecords)
  })

  it('puts a record that does not read back as unfetched, and keeps its bytes', async () => {
    const crawl = copy()
    await changeLevel(crawl, async level => {
      const [[key, value]] = (await level.iterator({ gte: '!datum!', limit: 1 }).all()) as [[string, Buffer]]
      value[6] = (value[6] as number) ^ 1
      await level.put(key, value)
    })
    await expectRepaired(crawl, 'crawldb', /do not read/)
    const [first, ...rest] = await recordLines(crawl)
    expect(rest).to.deep.equal(soundRecords.slice(1))
    expect(first).to.match(/"status":"db_unfetched"/)
    expect(first?.split('\t')[0]).to.equal(soundRecords[0]?.split('\t')[0])
    expect(readFileSync(join(crawl, 'crawldb.damaged-records.ndjson'), 'utf8').trimEnd().split('\n')).to.have.lengthOf(1)
  })

  it('unlocks records of a segment that is gone', async () => {
    const crawl = copy()
    const made = (await runCommand(['generate', crawl, '-D', 'urlfilter.regex.file='])).stdout.trim()
    expect(made).to.match(/^\d{14}$/)
    rmSync(join(crawl, 'segments', made), { recursive: true })
    await expectRepaired(crawl, 'locks', /locked to segments that are gone/)
    expect(await recordLines(crawl)).to.deep.equal(soundRecords)
  })

  it('makes a damaged LinkDb anew', async () => {
    const crawl = copy()
    const before = (await runCommand(['readlinkdb', crawl, '--dump'])).stdout
    await changeLevel(
      crawl,
      async level => {
        const [key] = await level.keys({ gte: '!inlinks!', limit: 1 }).all()
        await level.del(key as string)
      },
      'linkdb',
    )
    await expectRepaired(crawl, 'linkdb', /links stand under/)
    expect((await runCommand(['readlinkdb', crawl, '--dump'])).stdout).to.equal(before)
  })

  for (const { what, damage } of [
    { what: 'does not read', damage: halve },
    { what: 'is gone', damage: (file: string) => rmSync(file) },
  ])
    it(`makes a segment's manifest anew that ${what}: the same but for what its steps said of themselves`, async () => {
      const crawl = copy()
      const file = join(segmentsOf(crawl)[1] as string, 'manifest.json')
      const facts = (): object => {
        const { sealedMs: _, steps, ...rest } = JSON.parse(readFileSync(file, 'utf8'))
        return { ...rest, steps: Object.keys(steps).filter(step => step !== 'generate') }
      }
      const before = facts()
      damage(file)
      await expectRepaired(crawl, 'segment', /manifest\.json/)
      expect(facts()).to.deep.equal(before)
      expect(await recordLines(crawl)).to.deep.equal(soundRecords)
    })

  it('says which file of a sealed segment has changed, and that it cannot repair that', async () => {
    for (const pattern of [/^content-\d+\.warc\.gz$/, /^crawl_fetch\.ndjson/, /^parse_data\.ndjson/]) {
      const crawl = copy()
      const segment = segmentsOf(crawl)[1] as string
      const file = join(segment, readdirSync(segment).find(name => pattern.test(name)) ?? 'none')
      const bytes = readFileSync(file)
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 0x55
      writeFileSync(file, bytes)
      const run = await doctor(crawl, '--repair')
      expect(run.status, pattern.source).to.equal(4)
      expect(findingsOf(run)).to.have.lengthOf(1)
      expect(findingsOf(run)[0]).to.include({ part: 'segment', isRepaired: false })
    }
  })

  it('notes the torn end of a fetch under way, leftovers, and an empty segment, and takes them away', async () => {
    const crawl = copy()
    const open = join(crawl, 'segments', '20260301000000')
    cpSync(segmentsOf(crawl)[0] as string, open, { recursive: true })
    for (const name of readdirSync(open)) rmSync(join(open, name))
    writeFileSync(join(open, 'crawl_generate.ndjson'), '')
    appendFileSync(join(open, 'crawl_fetch.ndjson'), 'http://a.example/\t{"status":"fet')
    cpSync(open, join(crawl, 'segments', '20260301000001'), { recursive: true })
    for (const name of readdirSync(open)) rmSync(join(crawl, 'segments', '20260301000001', name))
    writeFileSync(join(crawl, 'spool', 'seeds-1-x.tmp'), 'http://')
    const seen = await doctor(crawl)
    expect(findingsOf(seen).map(({ isNote }) => isNote)).to.deep.equal([true, true, true])
    expect(seen.status).to.equal(0)
    await doctor(crawl, '--repair')
    expect(findingsOf(await doctor(crawl))).to.deep.equal([])
    expect(readdirSync(join(crawl, 'spool')).filter(name => name.endsWith('.tmp'))).to.deep.equal([])
  })

  for (const { name, isTaken } of [
    { name: 'crawl.json', isTaken: true },
    { name: 'status.json', isTaken: true },
    { name: 'politeness.json', isTaken: false },
  ]) {
    it(`notes a ${name} that does not read, and ${isTaken ? 'takes it away' : 'leaves it: it makes the next crawl wait'}`, async () => {
      const crawl = copy()
      halve(join(crawl, name))
      const [seen] = findingsOf(await doctor(crawl, '--repair'))
      expect(seen).to.include({ part: 'folder', name, isNote: true, isRepaired: isTaken })
      expect(readdirSync(crawl).includes(name)).to.equal(!isTaken)
    })
  }

  it('is what inject and crawl ask for where the CrawlDb and its seal are gone, and its segments are there', async () => {
    const crawl = copy()
    for (const name of ['crawldb', 'crawldb.seal']) rmSync(join(crawl, name), { recursive: true })
    for (const options of ['inject DIR -', 'crawl DIR --max-pages 1']) {
      const error = await runCommand(options.replace('DIR', crawl).split(' ')).catch(thrown => thrown as Error)
      expect(error, options).to.include({ code: 'DB_MISSING' })
      expect(String(error)).to.match(/was merged into one: millrace doctor .* --repair builds it/)
      expect(readdirSync(crawl)).to.not.include('crawldb')
    }
    await doctor(crawl, '--repair')
    expect(await recordLines(crawl)).to.deep.equal(soundRecords)
  })

  it('has nothing to say of a folder that holds no crawl', async () => {
    const error = await doctor(newFolder()).catch(thrown => thrown as Error)
    expect(error).to.have.property('code', 'DB_MISSING')
  })
})
