import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import fc from 'fast-check'
import { encodeExchanges } from '../../lib/warc/encode-exchange.js'
import { readWarc } from '../../lib/warc/read-warc.js'
import { contentOf } from '../../lib/warc/stored-content.js'
import { readBlock, type WarcItem } from '../../lib/warc/streamed-record.js'
import { warcField } from '../../lib/warc/warc-fields.js'
import { exchangeOf } from '../segment/segment-fixtures.js'
import { describeCorpus, readCorpus } from '../support/corpus.js'

interface RecordedCase {
  readonly id: string
  readonly file: string
  readonly error?: string
  readonly records: readonly {
    readonly type: string
    readonly uri?: string
    readonly date: string
    readonly length: string
    readonly httpStatus?: string
    readonly bodyBytes: number
    readonly bodyMd5: string
  }[]
}

interface ReadRecord {
  readonly type: string
  readonly uri: string
  readonly date: string | undefined
  readonly length: number | undefined
  readonly offset: number
  readonly stored: number
  readonly block: Buffer
  readonly item: WarcItem
  readonly faults: readonly string[]
}

async function readAll(chunks: readonly Uint8Array[]): Promise<{ records: ReadRecord[]; faults: { offset: number; message: string }[] }> {
  const records: ReadRecord[] = []
  const faults: { offset: number; message: string }[] = []
  async function* source(): AsyncGenerator<Uint8Array> {
    yield* chunks
  }
  for await (const item of readWarc(source())) {
    if (item.kind === 'fault') {
      faults.push({ offset: item.offsetBytes, message: item.error.message })
      continue
    }
    const block = await readBlock(item)
    const end = await item.finish()
    const { type, uri, offsetBytes: offset, lengthBytes: length, head } = item
    records.push({ type, uri, date: warcField(head, 'warc-date'), length, offset, stored: end.storedBytes, block, item, faults: end.faults })
  }
  return { records, faults }
}

const recorded = readCorpus<RecordedCase>('warc/recorded.json')

describeCorpus('readWarc against what warcio reads', folder => {
  for (const { id, file, error, records } of recorded?.cases ?? []) {
    const bytes = readFileSync(join(folder, 'warc', file))
    it(`reads ${file} (${id})`, async () => {
      const read = await readAll([bytes])
      const facts = read.records.map(({ type, uri, date, length }) => ({ type, uri, date, length }))
      const wanted = records.map(({ type, uri = '', date, length }) => ({
        type,
        uri,
        date,
        length: /^\d+$/.test(length) ? Number(length) : undefined,
      }))
      expect(error === undefined ? facts : facts.slice(0, wanted.length)).to.deep.equal(wanted)
      if (!notDecodedByWarcio.includes(file))
        for (const [index, wantedRecord] of records.entries()) await expectBody(read.records[index] as ReadRecord, wantedRecord) // lengths were compared
      const troubles = [...read.faults, ...read.records.flatMap(({ faults }) => faults)]
      if (error !== undefined && !notDecodedByWarcio.includes(file)) expect(troubles, 'warcio stops here').to.not.be.empty
    })
  }

  for (const { file } of recorded?.cases ?? [])
    it(`reads ${file} the same however it is cut into chunks`, async () => {
      const bytes = readFileSync(join(folder, 'warc', file))
      const whole = await readAll([bytes])
      for (const size of [1, 7, 1000].filter(size => bytes.length / size < 20_000)) {
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size))
        const cut = await readAll(chunks)
        const facts = ({ type, uri, offset, stored, block, faults }: ReadRecord): object => ({ type, uri, offset, stored, block, faults })
        expect(cut.records.map(facts), `chunks of ${size}`).to.deep.equal(whole.records.map(facts))
        expect(cut.faults).to.deep.equal(whole.faults)
      }
    })
})

/** Its chunks are wrong: warcio gives up, where browsers and we take what is there. */
const notDecodedByWarcio: readonly string[] = ['files/warcio-example-wrong-chunks.warc.gz']

async function expectBody({ item, block }: ReadRecord, wanted: RecordedCase['records'][number]): Promise<void> {
  if (wanted.type === 'arc_header' || item.kind !== 'record') return
  const { payload, httpStatus } = await contentOf(item.head, block)
  if (wanted.httpStatus !== undefined && /^\d+$/.test(wanted.httpStatus)) expect(String(httpStatus)).to.equal(wanted.httpStatus)
  expect(payload.length, `body of ${wanted.uri}`).to.equal(wanted.bodyBytes)
  expect(createHash('md5').update(payload).digest('hex')).to.equal(wanted.bodyMd5)
}

const pages = [1, 2, 3, 4].map(number => exchangeOf(`http://a.test/${number}`, `<p>page ${number} ${'.'.repeat(number * 10)}</p>`))

describe('readWarc', () => {
  const { bytes, records } = encodeExchanges(pages, { keepsRequest: false })
  const plain = gunzipSync(bytes)

  it('reads what was written, packed or not, and tells where each record stands', async () => {
    const packed = await readAll([bytes])
    expect(packed.records.map(({ uri, offset, stored }) => ({ uri, offset, stored }))).to.deep.equal(
      records.map(({ uri, offsetBytes, lengthBytes }) => ({ uri, offset: offsetBytes, stored: lengthBytes })),
    )
    expect(packed.faults).to.deep.equal([])
    const unpacked = await readAll([plain])
    expect(unpacked.records.map(({ block }) => block)).to.deep.equal(packed.records.map(({ block }) => block))
  })

  for (const [name, file] of [
    ['packed', bytes],
    ['plain', plain],
  ] as const)
    it(`finds all records before the cut of a ${name} file cut anywhere, and reports the torn one`, async () => {
      const ends = (await readAll([file])).records.map(({ offset, stored }) => offset + stored)
      for (let length = 1; length < file.length; length += 3) {
        const cut = await readAll([file.subarray(0, length)])
        const whole = ends.filter(end => end <= length).length
        const sound = cut.records.filter(({ faults }) => faults.length === 0)
        expect(sound.length, `cut at ${length}`).to.equal(whole)
        const isAtBorder = ends.includes(length)
        expect(cut.records.length - sound.length + cut.faults.length > 0, `cut at ${length}`).to.equal(!isAtBorder)
      }
    })

  it('loses only the record in which a byte is changed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const damaged = Buffer.from(bytes)
        damaged[at] = (damaged[at] ?? 0) ^ change
        const read = await readAll([damaged])
        const index = records.findIndex(({ offsetBytes, lengthBytes }) => at < offsetBytes + lengthBytes)
        const others = records.filter((_, other) => other !== index).map(({ offsetBytes }) => offsetBytes)
        const sound = read.records.filter(({ faults }) => faults.length === 0).map(({ offset }) => offset)
        expect(sound).to.include.members(others)
      }),
      { numRuns: 150 },
    )
  })

  it('reads a record larger than any window, as a stream', async () => {
    const large = Buffer.concat(
      Array.from({ length: 600 }, (_, index) => createHash('sha512').update(String(index)).digest().toString('hex').repeat(4)).map(part =>
        Buffer.from(part.repeat(100)),
      ),
    )
    const encoded = encodeExchanges([exchangeOf('http://a.test/large', large), exchangeOf('http://a.test/after')], { keepsRequest: false })
    const read = await readAll([encoded.bytes])
    expect(read.records.map(({ uri, stored, faults }) => ({ uri, stored, faults }))).to.deep.equal(
      encoded.records.map(({ uri, lengthBytes }) => ({ uri, stored: lengthBytes, faults: [] })),
    )
    expect(read.records[0]?.block.subarray(-large.length).equals(large)).to.equal(true)
  })

  it('keeps a wrong length from swallowing the next record of a packed file', async () => {
    const [first, second] = records
    const record = gunzipSync(bytes.subarray(0, first?.lengthBytes))
      .toString()
      .replace(/\r\nContent-Length: \d+/, '\r\nContent-Length: 5000')
    const read = await readAll([gzipSync(record), bytes.subarray(second?.offsetBytes)])
    expect(read.records.map(({ uri }) => uri)).to.deep.equal(pages.map(({ url }) => url))
    expect(read.records[0]?.faults.join()).to.match(/^Content-Length is 5000, but only \d+ bytes are there/)
  })

  it('goes on behind bytes that are no member', async () => {
    const read = await readAll([bytes.subarray(0, records[1]?.offsetBytes), Buffer.from('no gzip here'), bytes.subarray(records[1]?.offsetBytes)])
    expect(read.records.map(({ uri }) => uri)).to.deep.equal(pages.map(({ url }) => url))
    expect([...read.faults.map(({ message }) => message), ...read.records.flatMap(({ faults }) => faults)].join()).to.include(
      'no gzip member begins here',
    )
  })
})
