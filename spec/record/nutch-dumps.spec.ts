import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { datumToNutchCsv, nutchCsvHeader, nutchCsvReader } from '../../lib/record/nutch-csv.js'
import { datumToNutchJson, nutchJsonReader } from '../../lib/record/nutch-json.js'
import type { NutchDumpReader, NutchRecord } from '../../lib/record/nutch-record.js'
import { datumToNutchDump, datumToNutchText, nutchTextReader } from '../../lib/record/nutch-text.js'
import type { CrawlDatum, DbDatum } from '../../lib/record/records.js'
import { dbStatuses, statusName } from '../../lib/record/status.js'
import { storedUrl } from '../../lib/record/url.js'
import { describeCorpus, readCorpus } from '../support/corpus.js'
import { dbDatum } from '../support/db-datum.js'

function readAll(reader: NutchDumpReader, text: string): NutchRecord[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const records = [...lines.map((line, index) => reader.take(line, index + 1)), reader.end()]
  return records.filter(record => record !== undefined)
}
const asDatum = ({ urlText, datum }: NutchRecord): DbDatum => ({ url: storedUrl(urlText), ...datum })

const sample = dbDatum({
  url: 'http://a.example/?q="x"',
  status: 'db_fetched',
  fetchTimeMs: Date.UTC(2026, 0, 31),
  modifiedTimeMs: Date.UTC(2026, 0, 1),
  fetchIntervalS: 90_000,
  score: 1e-4,
  signature: Buffer.from('00ff', 'hex'),
  metadata: { _rs_: '36', title: 'say "hü"' },
})

describe("Nutch's text form", () => {
  it('is printed to the character', () => {
    expect(datumToNutchText(sample)).to.equal(
      `Version: 7
Status: 2 (db_fetched)
Fetch time: Sat Jan 31 00:00:00 UTC 2026
Modified time: Thu Jan 01 00:00:00 UTC 2026
Retries since fetch: 0
Retry interval: 90000 seconds (1 days)
Score: 1.0E-4
Signature: 00ff
Metadata: 
 	_rs_=36
	title=say "hü"
`,
    )
  })
  it('ends with one space where there is no metadata, and says null for no signature', () => {
    expect(datumToNutchDump(dbDatum(), 'America/New_York')).to.equal(
      'http://a.example/\tVersion: 7\nStatus: 1 (db_unfetched)\nFetch time: Wed Dec 31 19:00:00 EST 1969\n' +
        'Modified time: Wed Dec 31 19:00:00 EST 1969\nRetries since fetch: 0\nRetry interval: 2592000 seconds (30 days)\n' +
        'Score: 1.0\nSignature: null\nMetadata: \n \n',
    )
  })
})

describe("Nutch's CSV", () => {
  it('has its header and rows, but doubles quotes', () => {
    expect(datumToNutchCsv(sample)).to.equal(
      '"http://a.example/?q=""x""",2,"db_fetched",Sat Jan 31 00:00:00 UTC 2026,Thu Jan 01 00:00:00 UTC 2026,0,' +
        '90000.0,1.0,1.0E-4,"00ff","_rs_:36|||title:say ""hü""|||"\n',
    )
    expect(datumToNutchCsv(dbDatum())).to.include('2592000.0,30.0,1.0,"null",""\n')
  })
  it('is read where quotes are not doubled, as Nutch writes it', () => {
    const row =
      '"http://a.example/?q="x"",2,"db_fetched",Sat Jan 31 00:00:00 UTC 2026,Thu Jan 01 00:00:00 UTC 2026,0,90000.0,1.0,1.0E-4,"00ff","k:a "b", c|||"'
    const [record] = readAll(nutchCsvReader(), `${nutchCsvHeader}\n${row}\n`)
    expect(record?.urlText).to.equal('http://a.example/?q="x"')
    expect(record?.datum.metadata).to.deep.equal({ k: 'a "b", c' })
  })
  describeCorpus('of the corpus', corpus => {
    it('begins with the header', () =>
      expect(`${nutchCsvHeader}\n`).to.equal(readFileSync(join(corpus, 'nutch/dumps/readdb-csv-header.txt'), 'utf8')))
  })
})

describe("Nutch's JSON lines", () => {
  it('are ASCII, keys in order', () => {
    expect(datumToNutchJson(sample)).to.equal(
      '{"url":"http://a.example/?q=\\"x\\"","statusCode":2,"statusName":"db_fetched","fetchTime":"Sat Jan 31 00:00:00 UTC 2026",' +
        '"modifiedTime":"Thu Jan 01 00:00:00 UTC 2026","retriesSinceFetch":0,"retryIntervalSeconds":90000,"retryIntervalDays":1,' +
        '"score":0.0001,"signature":"00ff","metadata":{"_rs_":"36","title":"say \\"h\\u00FC\\""}}\n',
    )
  })
  it('are read with numbers among the metadata', () => {
    const line = datumToNutchJson(dbDatum({ metadata: { _rs_: 'X' } })).replace('"X"', '36')
    expect(readAll(nutchJsonReader(), line)[0]?.datum.metadata).to.deep.equal({ _rs_: '36' })
  })
})

const formats: readonly { name: string; write: (datum: CrawlDatum, timeZone?: string) => string; reader: (timeZone?: string) => NutchDumpReader }[] =
  [
    { name: 'text', write: datumToNutchDump, reader: nutchTextReader },
    { name: 'CSV', write: datumToNutchCsv, reader: nutchCsvReader },
    { name: 'JSON', write: datumToNutchJson, reader: nutchJsonReader },
  ]

const textWithoutBlankEdges = fc.string({ unit: 'grapheme' }).filter(text => !/[\r\n\t]|\|\|/.test(text))
const metadata = fc.dictionary(
  fc.string({ unit: 'grapheme-ascii', minLength: 1 }).filter(key => !/[=:\n\r\t|"]/.test(key) && key !== '__proto__'),
  textWithoutBlankEdges.filter(text => !text.includes('"') && !text.endsWith('|')),
  { maxKeys: 4 },
)
const anyDatum: fc.Arbitrary<DbDatum> = fc
  .record({
    path: fc.webPath(),
    status: fc.constantFrom(...dbStatuses),
    fetchS: fc.integer({ min: 0, max: 4_000_000_000 }),
    modifiedS: fc.integer({ min: 0, max: 4_000_000_000 }),
    retries: fc.nat(255),
    fetchIntervalS: fc.integer({ min: 1, max: 16_000_000 }),
    score: fc.float({ noNaN: true, noDefaultInfinity: true }).map(score => score + 0),
    signature: fc.option(fc.uint8Array({ minLength: 1, maxLength: 16 }), { nil: undefined }),
    metadata,
  })
  .map(({ path, fetchS, modifiedS, signature, ...rest }) => ({
    ...dbDatum({ url: `http://a.example${path}`, fetchTimeMs: fetchS * 1000, modifiedTimeMs: modifiedS * 1000, ...rest }),
    ...(signature === undefined ? {} : { signature: Buffer.from(signature) }),
  }))

for (const { name, write, reader } of formats)
  describe(`a dump in ${name}`, () => {
    it('is read back as it was written, in any time zone, and written again alike', () => {
      fc.assert(
        fc.property(
          fc.array(anyDatum, { minLength: 1, maxLength: 4 }),
          fc.constantFrom('UTC', 'Asia/Shanghai', 'America/New_York'),
          (data, timeZone) => {
            const dump = data.map(datum => write(datum, timeZone)).join('')
            const read = readAll(reader(timeZone), dump).map(asDatum)
            expect(read).to.deep.equal(data)
            expect(read.map(datum => write(datum, timeZone)).join('')).to.equal(dump)
          },
        ),
        { numRuns: 300 },
      )
    })

    it('keeps line ends and separators inside of values', () => {
      const data = [dbDatum({ metadata: { a: 'one\n\ntwo', b: 'x|||y', c: 'z' } }), dbDatum({ url: 'http://b.example/' })]
      expect(readAll(reader(), data.map(datum => write(datum)).join('')).map(asDatum)).to.deep.equal(data)
    })

    it('names the line of a record that cannot be read, and goes on behind it', () => {
      const bad = write(dbDatum({ url: 'http://bad.example/' })).replace('00:00:00 UTC', '00:00:00 QQQ')
      const good = write(dbDatum({ url: 'http://good.example/' }))
      const lines = (bad + good).trimEnd().split('\n')
      const reading = reader()
      const errors: string[] = []
      const records: (NutchRecord | undefined)[] = []
      const attempt = (take: () => NutchRecord | undefined): void => {
        try {
          records.push(take())
        } catch (error) {
          errors.push((error as Error).message)
        }
      }
      for (const [index, line] of lines.entries()) attempt(() => reading.take(line, index + 1))
      attempt(() => reading.end())
      expect(errors).to.have.lengthOf(1)
      expect(errors[0]).to.match(/^line 1: time zone name QQQ/)
      expect(records.filter(record => record !== undefined).map(({ urlText }) => urlText)).to.deep.equal(['http://good.example/'])
    })

    it('is refused where it begins with something else', () => {
      expect(() => reader().take('what is this', 1)).to.throw('line 1: ')
    })
    it('may be empty', () => expect(readAll(reader(), '')).to.deep.equal([]))
  })

describeCorpus("Nutch's dumps of the corpus", corpus => {
  const dump = (file: string): string => readFileSync(join(corpus, 'nutch/dumps', file), 'utf8')
  for (const { file, timeZone, urls } of [
    { file: 'readdb-dump-2021.txt', timeZone: 'America/New_York', urls: 2 },
    { file: 'readdb-dump-gone-2014.txt', timeZone: 'Asia/Shanghai', urls: 1 },
    { file: 'readdb-dump-dedup-crawldb.txt', timeZone: 'UTC', urls: 10 },
  ])
    it(`${file} is read and written again to the character`, () => {
      const records = readAll(nutchTextReader(timeZone), dump(file))
      expect(records).to.have.lengthOf(urls)
      const written = records.map(record => datumToNutchDump(asDatum(record), timeZone)).join('')
      expect(written.trimEnd()).to.equal(dump(file).trimEnd())
    })

  it('readdb-dump-dedup-crawldb.txt holds the records of the fixture', () => {
    const { records } = readCorpus('nutch/crawldb-dedup.json') as unknown as { records: readonly FixtureRecord[] } // its key is not `cases`
    const read = readAll(nutchTextReader(), dump('readdb-dump-dedup-crawldb.txt')).map(asDatum)
    expect(read).to.deep.equal(records.map(toDatum))
    const printed = records.map(record => datumToNutchDump(toDatum(record))).join('')
    expect(printed.trimEnd()).to.equal(dump('readdb-dump-dedup-crawldb.txt').trimEnd())
  })

  it('readdb-url-2014.txt is read and written again to the character', () => {
    const [record] = readAll(nutchTextReader('Asia/Shanghai'), dump('readdb-url-2014.txt'))
    const datum = asDatum(record as NutchRecord)
    expect(`URL: ${datum.url}\n${datumToNutchText(datum, 'Asia/Shanghai')}\n`).to.equal(dump('readdb-url-2014.txt'))
  })
})

interface FixtureRecord {
  readonly url: string
  readonly status: number
  readonly fetchTime: number
  readonly modifiedTime: number
  readonly retries: number
  readonly fetchInterval: number
  readonly score: number
  readonly signature: string | null
  readonly metadata: Readonly<Record<string, string | number>>
}

/** To the second, as a dump tells it. */
function toDatum(record: FixtureRecord): DbDatum {
  const toSecond = (timeMs: number): number => Math.floor(timeMs / 1000) * 1000
  return dbDatum({
    url: record.url,
    status: statusName(record.status) as DbDatum['status'],
    fetchTimeMs: toSecond(record.fetchTime),
    modifiedTimeMs: toSecond(record.modifiedTime),
    retries: record.retries,
    fetchIntervalS: record.fetchInterval,
    score: record.score,
    ...(record.signature === null ? {} : { signature: Buffer.from(record.signature, 'hex') }),
    metadata: Object.fromEntries(Object.entries(record.metadata).map(([key, value]) => [key, String(value)])),
  })
}
