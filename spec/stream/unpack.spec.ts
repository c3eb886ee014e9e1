import * as zlib from 'node:zlib'
import { expect } from 'chai'
import { decodeContent } from '../../lib/stream/unpack/content-decoding.js'

const limits = { limitBytes: 1_048_576, maxRatio: 1000 }
const page = Buffer.from(`<html><title>t</title>${Array.from({ length: 2000 }, (_, n) => `<p>${n * 7919}`).join('')}</html>`)

/** The packed page with the byte at `at` (from the end if negative) turned over. */
function damaged(packed: Buffer, at: number): Buffer {
  const copy = Buffer.from(packed)
  const index = at < 0 ? copy.length + at : at
  copy[index] = (copy[index] ?? 0) ^ 0xff
  return copy
}

describe('Content that is packed not quite as it should be', () => {
  const small = Buffer.from('<html><title>small</title></html>')
  for (const [size, text] of [['small', small] as const, ['larger', page] as const]) {
    const gzip = zlib.gzipSync(text)
    const whole: readonly (readonly [string, string, Buffer])[] = [
      ['rubbish behind a gzip member', 'gzip', Buffer.concat([gzip, Buffer.from('JUNK')])],
      ['blanks and newlines behind a gzip member', 'gzip', Buffer.concat([gzip, Buffer.from('\r\n  \n')])],
      ['the beginning of a member that is none behind it', 'gzip', Buffer.concat([gzip, Buffer.from([0x1f, 0x8b, 9, 9])])],
      ['rubbish behind zlib data', 'deflate', Buffer.concat([zlib.deflateSync(text), Buffer.from('JUNK')])],
      ['a gzip checksum that is wrong', 'gzip', damaged(gzip, -6)],
      ['a gzip length that is wrong', 'gzip', damaged(gzip, -2)],
      ['a zlib checksum that is wrong', 'deflate', damaged(zlib.deflateSync(text), -1)],
    ]
    for (const [name, coding, body] of whole) {
      it(`is whole with ${name}, ${size}`, async () => {
        expect(await decodeContent(body, coding, { limits })).to.deep.equal({ payload: text })
      })
    }
  }

  it('gives all that stands before the damage, and says that it is cut', async () => {
    const stored = zlib.gzipSync(page, { level: 0 }) // 10 bytes of gzip header and 5 of the block before the text
    const next = 15 + page.length // the checksum; cut before it, with a block type that there is not
    const twoBlocks = Buffer.concat([stored.subarray(0, 10), Buffer.from([0]), stored.subarray(11, next), Buffer.from([0x07, 1, 2, 3])])
    const { payload, truncated } = await decodeContent(twoBlocks, 'gzip', { limits })
    expect({ text: payload.equals(page), truncated }).to.deep.equal({ text: true, truncated: 'disconnect' })
  })

  const text = Buffer.from('<html><title>as it is</title></html>')
  const named: readonly (readonly [string, string, Buffer])[] = [
    ['all that the client accepts', 'gzip, deflate, br', zlib.gzipSync(text)],
    ['the same, of which it is another', 'gzip, deflate, br', zlib.brotliCompressSync(text)],
    ['a charset behind the coding', 'gzip, utf-8', zlib.gzipSync(text)],
    ['a charset before the coding', 'utf-8, gzip', zlib.gzipSync(text)],
    ['brotli for gzip', 'br', zlib.gzipSync(text)],
    ['all that the client accepts, for what is not packed', 'gzip, deflate, br', text],
  ]
  for (const [name, coding, body] of named) {
    it(`is unpacked by what it is where the header names ${name}`, async () => {
      expect(await decodeContent(body, coding, { limits })).to.deep.equal({ payload: text })
    })
  }

  // Deflate and brotli have no magic: each of these bytes begins some block of theirs.
  it('is taken as it is when it is a text, whatever it begins with', async () => {
    for (let first = 0x20; first < 0x7f; first++) {
      const json = Buffer.from(`${String.fromCharCode(first)}"items": [{"url": "http://a.example/x", "title": "not packed at all"}]}`)
      for (const coding of ['deflate', 'br'])
        expect(await decodeContent(json, coding, { limits }), `${coding} ${json}`).to.deep.equal({ payload: json })
    }
  })

  it('is unpacked when the packed data of a few letters are letters too', async () => {
    for (let size = 1; size < 60; size++) {
      const letters = Buffer.from(Array.from({ length: size }, (_, at) => 97 + ((at * 7 + size) % 26)))
      expect(await decodeContent(zlib.deflateRawSync(letters), 'deflate', { limits })).to.deep.equal({ payload: letters })
      expect(await decodeContent(zlib.brotliCompressSync(letters), 'br', { limits })).to.deep.equal({ payload: letters })
    }
  })

  it('is taken as it is when nothing of it can be unpacked', async () => {
    const text = Buffer.from('plain text, not gzip')
    for (const coding of ['gzip', 'deflate', 'br'])
      expect((await decodeContent(text, coding, { limits })).payload.toString(), coding).to.equal(String(text))
  })

  for (const start of ['\n<html>', '{"a": 1, "b": ', '[1, 2, ', 'a', '!', '1', '\u00fc']) {
    it(`is taken as it is when it is text that begins with ${JSON.stringify(start)}`, async () => {
      for (let words = 3; words < 60; words++) {
        const text = start + Array.from({ length: words }, (_, n) => `${(n * 7919) % 10_007} <p>1 2`).join(' ')
        for (const coding of ['deflate', 'br']) {
          const { payload, truncated } = await decodeContent(Buffer.from(text), coding, { limits })
          expect({ text: String(payload), truncated }, coding).to.deep.equal({ text, truncated: undefined })
        }
      }
    })
  }

  it('is unpacked whatever text is in it, and however little', async () => {
    for (let length = 0; length < 300; length++) {
      const text = page.subarray(length, 2 * length)
      for (const [coding, packed] of [['deflate', zlib.deflateRawSync(text)] as const, ['br', zlib.brotliCompressSync(text)] as const])
        expect((await decodeContent(packed, coding, { limits })).payload.equals(text), `${coding} of ${length}`).to.equal(true)
    }
  })
})
