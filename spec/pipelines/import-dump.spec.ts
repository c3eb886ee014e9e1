import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { metadataKeys } from '../../lib/record/metadata.js'
import { describeCorpus, readCorpus } from '../support/corpus.js'
import { dbDatum } from '../support/db-datum.js'
import { allRecords, putRecords, specJob, specTimeMs } from '../support/job-fixture.js'
import { runCommand } from '../support/run-command.js'
import { useTempFolders } from '../support/temp-folder.js'

const records = [
  dbDatum({ url: 'http://a.example/', fetchTimeMs: specTimeMs }),
  dbDatum({
    url: 'http://b.example/x?q="1"',
    status: 'db_gone',
    fetchTimeMs: specTimeMs + 1000,
    retries: 3,
    score: 1e-4,
    metadata: { _pst_: 'gone(11), lastModified=0: x', t: 'a=b:c "d"' },
  }),
  dbDatum({
    url: 'https://b.example/é',
    status: 'db_notmodified',
    fetchTimeMs: 1000,
    signature: Buffer.from('00ff17', 'hex'),
    metadata: { title: 'grün 統' },
  }),
]

describe('import --from-dump', () => {
  const newFolder = useTempFolders()

  for (const { format, timeZone } of [
    { format: 'text', timeZone: 'UTC' },
    { format: 'text', timeZone: 'Asia/Shanghai' },
    { format: 'csv', timeZone: 'America/New_York' },
    { format: 'json', timeZone: 'UTC' },
    { format: 'lines', timeZone: 'UTC' },
  ]) {
    it(`a dump as ${format}, times of ${timeZone}: imported and dumped again it is the same`, async () => {
      const [from, into] = [newFolder(), newFolder()]
      const urls = records.map(datum => ({ ...datum, url: new URL(datum.url).href }))
      await putRecords(specJob(from), urls.map(dbDatum))
      const dump = async (folder: string): Promise<string> =>
        (await runCommand(['readdb', folder, '--dump', '--format', format, '--time-zone', timeZone])).stdout
      const file = join(into, 'dump')
      writeFileSync(file, await dump(from))
      const { json } = await runCommand(['import', into, '--from-dump', file, '--time-zone', timeZone])
      expect(json()).to.deep.equal({ read: 3, malformed: 0, respelled: 0, added: 3, merged: 0 })
      expect(await dump(into)).to.equal(readFileSync(file, 'utf8'))
      expect(await allRecords(specJob(into))).to.deep.equal(await allRecords(specJob(from)))
      expect((await runCommand(['readdb', into, '--verify'])).stdout).to.equal('')
    })
  }

  it('reads a folder of parts as Nutch leaves it, packed or not', async () => {
    const [from, into] = [newFolder(), newFolder()]
    await putRecords(specJob(from), [records[0] ?? dbDatum()])
    const { stdout } = await runCommand(['readdb', from, '--dump'])
    const parts = newFolder()
    writeFileSync(join(parts, 'part-r-00000'), stdout)
    writeFileSync(join(parts, 'part-r-00001'), gzipSync(stdout.replaceAll('a.example', 'c.example')))
    writeFileSync(join(parts, '_SUCCESS'), '')
    expect((await runCommand(['import', into, '--from-dump', parts])).json()).to.include({ read: 2, added: 2 })
  })

  it('leaves out what does not read, with its line, or fails with --strict', async () => {
    const folder = newFolder()
    const file = join(folder, 'dump.json')
    const good =
      '{"url":"http://a.example/","statusCode":1,"statusName":"db_unfetched","fetchTime":"Sat Jan 31 00:00:00 UTC 2026","modifiedTime":"Thu Jan 01 00:00:00 UTC 1970","retriesSinceFetch":0,"retryIntervalSeconds":60,"retryIntervalDays":0,"score":1.0,"signature":"null","metadata":{}}'
    writeFileSync(file, [good, good.replace('"statusCode":1', '"statusCode":77'), good.replace('http://a.example/', 'mailto:x'), '{'].join('\n'))
    const ran = await runCommand(['import', folder, '--from-dump', file])
    expect(ran.json()).to.deep.equal({ read: 2, malformed: 3, respelled: 0, added: 1, merged: 0 })
    expect(ran.log.filter(line => line.startsWith('warn')).map(line => /"line":(\d+)/.exec(line)?.[1])).to.deep.equal(['2', '3', '4'])
    const error: unknown = await runCommand(['import', newFolder(), '--from-dump', file, '--strict']).catch(thrown => thrown)
    expect(error).to.include({ code: 'LINE_INVALID' })
    expect((error as Error).message).to.include('line 2')
  })

  it('names the line where a bad record of a text dump begins, once', async () => {
    const [from, into] = [newFolder(), newFolder()]
    await putRecords(specJob(from), [dbDatum({ url: 'http://a.example/' }), dbDatum({ url: 'http://b.example/' })])
    const lines = (await runCommand(['readdb', from, '--dump'])).stdout.split('\n')
    const second = lines.findIndex(line => line.startsWith('http://b.example/')) + 1
    const file = join(into, 'dump.txt')
    writeFileSync(file, lines.map((line, n) => (n > second ? line.replace(/^Score: .*/, 'Score: NaN') : line)).join('\n'))
    const warnings = (await runCommand(['import', into, '--from-dump', file])).log.filter(line => line.startsWith('warn'))
    expect(warnings).to.have.length(1)
    expect(warnings[0])
      .to.include(`"line":${second}`)
      .and.include('score cannot be')
      .and.not.match(/"reason":"line/)
  })

  it('respells URLs as the crawl does, and merges what meets by the rule of mergedb', async () => {
    const folder = newFolder()
    await putRecords(specJob(folder), [dbDatum({ url: 'http://a.example/', status: 'db_fetched', fetchTimeMs: specTimeMs, metadata: { old: '1' } })])
    const file = join(folder, 'dump')
    const block = (url: string, day: string): string =>
      `${url}\tVersion: 7\nStatus: 2 (db_fetched)\nFetch time: ${day} 00:00:00 UTC 2026\nModified time: Thu Jan 01 00:00:00 UTC 1970\nRetries since fetch: 0\nRetry interval: 2592000 seconds (30 days)\nScore: 1.0\nSignature: null\nMetadata: \n \tnew=2\n\n`
    writeFileSync(file, block('HTTP://A.example:80/', 'Fri May 01'))
    expect((await runCommand(['import', folder, '--from-dump', file])).json()).to.include({ respelled: 1, added: 0, merged: 1 })
    const datum = (await allRecords(specJob(folder))).get('http://a.example/')
    expect(datum).to.deep.include({ fetchTimeMs: Date.UTC(2026, 4, 1), metadata: { old: '1', new: '2' } })
  })
})

describeCorpus("import of Nutch's dumps", corpus => {
  const newFolder = useTempFolders()
  const blocks = (text: string): string[] =>
    text
      .split(/\n(?=\S+\tVersion: )/)
      .map(block => block.trimEnd())
      .sort()

  // The fixture holds https:/wikipedia.org/…, which has no host in Java and one by the URL standard.
  const spelled = (text: string): string => text.replace('https:/wikipedia', 'https://wikipedia')
  for (const { file, timeZone, count, respelled } of [
    { file: 'readdb-dump-2021.txt', timeZone: 'America/New_York', count: 2, respelled: 0 },
    { file: 'readdb-dump-gone-2014.txt', timeZone: 'Asia/Shanghai', count: 1, respelled: 0 },
    { file: 'readdb-dump-dedup-crawldb.txt', timeZone: 'UTC', count: 10, respelled: 1 },
  ]) {
    it(`${file}: dumped again each record is the same to the character`, async () => {
      const folder = newFolder()
      const path = join(corpus, 'nutch/dumps', file)
      expect((await runCommand(['import', folder, '--from-dump', path, '--time-zone', timeZone])).json()).to.deep.equal({
        read: count,
        malformed: 0,
        respelled,
        added: count,
        merged: 0,
      })
      const { stdout } = await runCommand(['readdb', folder, '--dump', '--time-zone', timeZone])
      expect(blocks(stdout)).to.deep.equal(blocks(spelled(readFileSync(path, 'utf8'))))
    })
  }

  it('readdb-url-2014.txt comes in as well', async () => {
    const folder = newFolder()
    await runCommand(['import', folder, '--from-dump', join(corpus, 'nutch/dumps/readdb-url-2014.txt'), '--time-zone', 'Asia/Shanghai'])
    const datum = (await allRecords(specJob(folder))).get('http://nutch.apache.org/')
    expect(datum).to.include({ status: 'db_fetched', fetchTimeMs: Date.UTC(2015, 0, 8, 10, 38, 42) })
    expect(datum?.metadata[metadataKeys.responseTime]).to.equal('1050')
  })

  for (const { order, kept } of [
    { order: 'fetchTime,urlLength,score', kept: 'http://nutch.apache.org/' },
    { order: 'httpsOverHttp,fetchTime,urlLength,score', kept: 'https://nutch.apache.org/' },
  ]) {
    it(`dedup of the fixture by ${order} keeps ${kept} (ops-0001, ops-0002)`, async () => {
      expect(readCorpus('nutch/crawldb-ops.json')).to.not.equal(undefined)
      const folder = newFolder()
      await runCommand(['import', folder, '--from-dump', join(corpus, 'nutch/dumps/readdb-dump-dedup-crawldb.txt')])
      await runCommand(['dedup', folder, '--compare-order', order])
      const after = await allRecords(specJob(folder))
      for (const url of ['http://nutch.apache.org/', 'https://nutch.apache.org/'])
        expect(after.get(url)?.status).to.equal(url === kept ? 'db_fetched' : 'db_duplicate')
    })
  }
})
