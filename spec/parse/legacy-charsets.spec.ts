import { expect } from 'chai'
import { decodeAll } from '../../lib/parse/charset/decode-bytes.js'
import { StreamDecoder } from '../../lib/parse/charset/stream-decoder.js'

const cases: readonly { readonly charset: string; readonly hex: string; readonly text: string; readonly why: string }[] = [
  { charset: 'euc-kr', hex: 'b0a1c8fe', text: '가힝', why: 'KS X 1001' },
  { charset: 'euc-kr', hex: '8141 8c63 94ee a141 b1a0 c5fe c652'.replaceAll(' ', ''), text: '갂똠뷁좥콬퉜힣', why: 'what Unified Hangul Code adds' },
  { charset: 'euc-kr', hex: 'a2e6a2e7', text: '€®', why: 'the signs of 1998' },
  { charset: 'euc-kr', hex: '3c613e8c633c2f613e', text: '<a>똠</a>', why: 'markup around a syllable that is added' },
  { charset: 'euc-kr', hex: '8c6320b0a1', text: '똠 가', why: 'both, with a blank' },
  { charset: 'gbk', hex: 'd6d0b9fa', text: '中国', why: 'two bytes' },
  { charset: 'gbk', hex: '9439fc36', text: '😀', why: 'four bytes, as the Standard decodes gbk' },
  { charset: 'gbk', hex: '8130fb30', text: 'ע', why: 'four bytes of the first plane' },
  { charset: 'gbk', hex: '80', text: '€', why: 'the euro sign in one byte' },
  { charset: 'euc-jp', hex: 'ada1adea', text: '①㈱', why: 'the row of NEC' },
  { charset: 'euc-jp', hex: '8fb0a1', text: '丂', why: 'three bytes, JIS X 0212' },
  { charset: 'shift_jis', hex: '1a1c7f', text: '\u001a\u001c\u007f', why: 'control characters stay what they are' },
  { charset: 'gbk', hex: 'a6d9', text: '︐', why: 'a sign of upright text, as gb18030 has it' },
  { charset: 'big5', hex: '8740', text: '䏰', why: 'what Hong Kong adds' },
  { charset: 'big5', hex: '886288a3', text: '\u00ca\u0304\u00ea\u0304', why: 'two characters for one' },
  { charset: 'big5', hex: 'c6a1', text: '①', why: 'what ETEN adds' },
  { charset: 'koi8-u', hex: 'aebe', text: 'ўЎ', why: 'the Belarusian letter' },
  { charset: 'windows-1253', hex: 'aa', text: '\ufffd', why: 'a byte that has no character' },
  { charset: 'windows-1255', hex: 'ca', text: 'ֺ', why: 'the point of 1999' },
  { charset: 'iso-8859-16', hex: 'aabadefe', text: 'ȘșȚț', why: 'Romanian letters' },
  { charset: 'x-user-defined', hex: '4180', text: 'A\uf780', why: 'the private use area' },
]

// Values of the Encoding Standard's indexes; for most of these Node's own decoders have something else.
describe('legacy charsets', () => {
  for (const { charset, hex, text, why } of cases) {
    const bytes = Buffer.from(hex, 'hex')
    it(`${charset}: ${why}`, () => {
      expect(decodeAll(bytes, charset)).to.equal(text)
    })

    it(`${charset}: ${why}, byte by byte`, () => {
      const decoder = new StreamDecoder(charset)
      const pieces = [...bytes].map(byte => decoder.write(Uint8Array.of(byte)))
      expect(pieces.join('') + decoder.end()).to.equal(text)
    })
  }

  it('euc-kr has all syllables of Unicode, each once', () => {
    const pairs: number[] = []
    for (let lead = 0x81; lead <= 0xc8; lead++) for (let trail = 0x41; trail <= 0xfe; trail++) pairs.push(lead, trail)
    const found = new Map<string, number>()
    for (let at = 0; at < pairs.length; at += 2) {
      const text = decodeAll(Uint8Array.of(pairs[at] ?? 0, pairs[at + 1] ?? 0), 'euc-kr')
      if (/^[\uac00-\ud7a3]$/.test(text)) found.set(text, (found.get(text) ?? 0) + 1)
    }
    expect(found.size).to.equal(0xd7a3 - 0xac00 + 1)
    expect([...found.values()].every(count => count === 1)).to.equal(true)
  })

  it('euc-kr that is cut off or malformed keeps what is around it', () => {
    expect(decodeAll(Buffer.from([0x61, 0x8c]), 'euc-kr')).to.equal('a\ufffd')
    expect(decodeAll(Buffer.from([0x8c, 0x3c, 0x62, 0x3e]), 'euc-kr')).to.match(/<b>$/)
  })
})
