import { crc32 } from 'node:zlib'
import { expect } from 'chai'
import fc from 'fast-check'
import { decodeDatum, encodeDatum } from '../../lib/crawldb/datum-codec.js'
import { isCrawlError } from '../../lib/errors/crawl-error.js'
import type { DbDatum } from '../../lib/record/records.js'
import { dbStatuses } from '../../lib/record/status.js'
import { storedUrl } from '../../lib/record/url.js'
import { keyOfUrl } from '../../lib/record/url-key.js'

const url = storedUrl('http://www.example.com/a')
const key = keyOfUrl(url)

const data: fc.Arbitrary<DbDatum> = fc
  .record({
    status: fc.constantFrom(...dbStatuses),
    fetchTimeMs: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    modifiedTimeMs: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    retries: fc.integer({ min: 0, max: 255 }),
    fetchIntervalS: fc.integer({ min: 0, max: 2_147_483_647 }),
    score: fc.float({ noNaN: true, noDefaultInfinity: true }),
    signature: fc.option(fc.uint8Array({ minLength: 1, maxLength: 255 })),
    metadata: fc.dictionary(
      fc.string({ minLength: 1, unit: 'binary' }).filter(name => name !== '__proto__'),
      fc.string({ unit: 'binary' }),
    ),
  })
  .map(({ signature, metadata, ...rest }) => ({ url, ...rest, metadata: { ...metadata }, ...(signature === null ? {} : { signature }) }))

describe('CrawlDatum codec', () => {
  it('gives back what it was given', () => {
    fc.assert(fc.property(data, datum => expect(decodeDatum(key, encodeDatum(key, datum))).to.deep.equal(datum) !== undefined))
  })

  it('sees any single bit that flips', () => {
    const bytes = encodeDatum(key, { ...sample, metadata: { a: 'b' }, signature: Uint8Array.of(1, 2, 3) })
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const damaged = Buffer.from(bytes)
      damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7))
      expect(() => decodeDatum(key, damaged), `bit ${bit}`)
        .to.throw()
        .with.property('code')
        .that.is.oneOf(['RECORD_CORRUPT', 'RECORD_VERSION'])
    }
  })

  it('sees a value under the wrong key', () => {
    expect(() => decodeDatum(`${key}x`, encodeDatum(key, sample)))
      .to.throw()
      .with.property('code', 'RECORD_CORRUPT')
  })

  it('sees a value that is cut at any length', () => {
    const bytes = encodeDatum(key, sample)
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeDatum(key, bytes.subarray(0, length)))
        .to.throw()
        .that.satisfies((error: unknown) => isCrawlError(error))
    }
  })

  for (const { found, message } of [
    { found: 2, message: 'has version 2, written by a newer build; this build reads 1' },
    { found: 99, message: 'has version 99, written by a newer build; this build reads 1' },
    { found: 0, message: 'has version 0; this build reads 1' },
  ]) {
    it(`refuses a record of version ${found} by its own code`, () => {
      expect(() => decodeDatum(key, ofVersion(found, encodeDatum(key, sample))))
        .to.throw(message)
        .with.property('code', 'RECORD_VERSION')
    })
  }

  it('takes a version byte that flipped for damage', () => {
    const bytes = encodeDatum(key, sample)
    bytes[0] = 2
    expect(() => decodeDatum(key, bytes))
      .to.throw()
      .with.property('code', 'RECORD_CORRUPT')
  })

  it('reads a record of an older version by the steps between, and writes it in this one', () => {
    // A layout of its own for the spec: version 0 kept the metadata as `key=value`.
    const full: DbDatum = { ...sample, score: 2.5, retries: 3, signature: Uint8Array.of(7, 8), metadata: { list: 'spring' } }
    const text = 'list=spring'
    const current = encodeDatum(key, full)
    const fields = current.subarray(0, current.length - 4 - Buffer.byteLength(JSON.stringify(full.metadata)))
    const older = ofVersion(0, Buffer.concat([fields, Buffer.from(text), Buffer.alloc(4)]))
    const fromZero = (old: Buffer): Buffer => {
      const [name = '', value = ''] = old.toString('utf8', fields.length).split('=')
      return Buffer.concat([old.subarray(0, fields.length), Buffer.from(JSON.stringify({ [name]: value }))])
    }
    const read = decodeDatum(key, older, new Map([[0, fromZero]]))
    expect(read).to.deep.equal(full)
    expect(encodeDatum(key, read).equals(current)).to.equal(true)
  })

  for (const score of [Number.NaN, Number.POSITIVE_INFINITY]) {
    it(`does not encode the score ${score}`, () => expect(() => encodeDatum(key, { ...sample, score })).to.throw(RangeError))
  }
})

const sample: DbDatum = {
  url,
  status: 'db_unfetched',
  fetchTimeMs: 1_720_509_242_000,
  modifiedTimeMs: 0,
  retries: 0,
  fetchIntervalS: 2_592_000,
  score: 1,
  metadata: {},
}

/** The value as a build with this codec version would have ended it. */
function ofVersion(version: number, value: Buffer): Buffer {
  const bytes = Buffer.from(value)
  bytes[0] = version
  const end = bytes.length - 4
  bytes.writeUInt32BE(crc32(bytes.subarray(0, end), crc32(key)), end)
  return bytes
}
