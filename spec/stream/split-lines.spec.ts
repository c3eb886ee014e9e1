import { expect } from 'chai'
import fc from 'fast-check'
import { type Line, splitLines } from '../../lib/stream/split-lines.js'

async function* chunksOf(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    yield bytes.subarray(start, cut)
    start = cut
  }
  yield bytes.subarray(start)
}

async function linesOf(source: AsyncIterable<Uint8Array | string>, maxLineBytes?: number): Promise<Line[]> {
  const lines: Line[] = []
  for await (const line of splitLines(maxLineBytes === undefined ? {} : { maxLineBytes })(source)) lines.push(line)
  return lines
}

/** Text of a good line, code of a bad one. */
const summary = (lines: readonly Line[]) => lines.map(({ text, fault }) => fault?.code ?? text)
const wholeAndByByte = (bytes: Uint8Array) => [[], Array.from({ length: Math.max(0, bytes.length - 1) }, (_, index) => index + 1)]
const invalid = 'LINE_INVALID'
const tooLong = 'LINE_TOO_LONG'
const bom = '\u00ef\u00bb\u00bf'

describe('splitLines', () => {
  for (const { name, input, lines, maxLineBytes } of [
    { name: 'nothing', input: '', lines: [] },
    { name: 'one line with its end', input: 'a\n', lines: ['a'] },
    { name: 'a last line without an end', input: 'a\nb', lines: ['a', 'b'] },
    { name: 'CRLF', input: 'a\r\nb\r\n', lines: ['a', 'b'] },
    { name: 'CR inside a line, which ends none', input: 'a\rb\n', lines: ['a\rb'] },
    { name: 'two CRs before the LF, of which one is the end', input: 'a\r\r\n', lines: ['a\r'] },
    { name: 'a last line that ends with CR', input: 'a\r', lines: ['a'] },
    { name: 'empty lines', input: '\n\r\n\n', lines: ['', '', ''] },
    { name: 'a byte order mark at the start', input: `${bom}a\n${bom}b\n`, lines: ['a', '\ufeffb'] },
    { name: 'a byte order mark alone', input: bom, lines: [''] },
    { name: 'NUL', input: 'a\0b\n', lines: ['a\0b'] },
    { name: 'characters of two to four bytes', input: Buffer.from('ü€😀\n€\n').toString('latin1'), lines: ['ü€😀', '€'] },
    { name: 'invalid UTF-8 between good lines', input: 'a\n\u00ff\nb\n', lines: ['a', invalid, 'b'] },
    { name: 'a character cut off by the end', input: 'a\n\u00e2\u0082', lines: ['a', invalid] },
    { name: 'a UTF-8 surrogate', input: '\u00ed\u00a0\u0080\n', lines: [invalid] },
    { name: 'lines at and over the bound', input: 'abcd\nabcde\nabcd', lines: ['abcd', tooLong, 'abcd'], maxLineBytes: 4 },
    { name: 'an end that does not count towards the bound', input: 'abcd\r\nabcde\r\n', lines: ['abcd', tooLong], maxLineBytes: 4 },
    { name: 'a long line whose CR stands at the bound', input: 'abcd\refgh\nok\n', lines: [tooLong, 'ok'], maxLineBytes: 4 },
    { name: 'a byte order mark that does not count', input: `${bom}abcd\n`, lines: ['abcd'], maxLineBytes: 4 },
    { name: 'a long first line behind a byte order mark', input: `${bom}abcde\nok\n`, lines: [tooLong, 'ok'], maxLineBytes: 4 },
    { name: 'a very long line', input: `${'x'.repeat(5000)}\nok`, lines: [tooLong, 'ok'], maxLineBytes: 100 },
  ] as const) {
    it(`reads ${name}, whole and byte by byte`, async () => {
      const bytes = Buffer.from(input, 'latin1')
      for (const cuts of wholeAndByByte(bytes)) {
        const got = await linesOf(chunksOf(bytes, cuts), maxLineBytes)
        expect(summary(got)).to.deep.equal(lines)
        expect(got.map(({ number }) => number)).to.deep.equal(lines.map((_, index) => index + 1))
      }
    })
  }

  it('names line, length and bound in the fault, and keeps only the start of the line', async () => {
    const [first, second] = await linesOf(chunksOf(Buffer.from(`ok\n${'é'.repeat(1000)}\n`), []), 1000)
    expect(first).to.deep.equal({ number: 1, text: 'ok' })
    expect(second?.fault?.message).to.equal('line 2: 2000 bytes, at most 1000 are read')
    expect(Buffer.byteLength(second?.text ?? '')).to.be.at.most(203)
  })

  it('gives the same lines for any bytes in any chunks', async () => {
    const bytes = fc.array(fc.oneof(fc.constantFrom(0x0a, 0x0d, 0x61, 0xc3, 0xa9, 0xef, 0xbb, 0xbf, 0xff), fc.integer({ min: 0, max: 255 })), {
      maxLength: 60,
    })
    await fc.assert(
      fc.asyncProperty(bytes, fc.array(fc.nat(60)), fc.constantFrom(3, 10, 1000), async (values, cuts, bound) => {
        const input = Uint8Array.from(values)
        const within = cuts.filter(cut => cut < input.length)
        expect(summary(await linesOf(chunksOf(input, within), bound))).to.deep.equal(summary(await linesOf(chunksOf(input, []), bound)))
      }),
      { numRuns: 500 },
    )
  })

  it('gives back any lines of text, ended by LF or CRLF', async () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 20 }).filter(text => !/[\r\n]/.test(text) && !text.startsWith('\ufeff'))
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.array(fc.boolean()), fc.array(fc.nat(400)), async (texts, hasCr, cuts) => {
        const input = Buffer.from(texts.map((text, index) => `${text}${hasCr[index] === true ? '\r\n' : '\n'}`).join(''))
        const within = cuts.filter(cut => cut < input.length)
        expect(summary(await linesOf(chunksOf(input, within)))).to.deep.equal(texts)
      }),
      { numRuns: 300 },
    )
  })

  it('takes strings as chunks', async () => {
    const source = async function* () {
      yield 'a\nü'
      yield 'b\n'
    }
    expect(summary(await linesOf(source()))).to.deep.equal(['a', 'üb'])
  })

  it('yields no half line when the source fails', async () => {
    const seen: string[] = []
    const source = async function* () {
      yield Buffer.from('whole\nha')
      throw new Error('torn')
    }
    let failure: unknown
    try {
      for await (const { text } of splitLines()(source())) seen.push(text)
    } catch (error) {
      failure = error
    }
    expect(failure).to.have.property('message', 'torn')
    expect(seen).to.deep.equal(['whole'])
  })

  it('holds no more of an endless line than the bound', async () => {
    const chunk = Buffer.alloc(64 * 1024, 'x')
    const source = async function* () {
      for (let count = 0; count < 1024; count++) yield chunk
    }
    global.gc?.()
    const beforeBytes = process.memoryUsage().arrayBuffers
    const [line] = await linesOf(source(), 1024 * 1024)
    expect(line?.fault?.message).to.equal('line 1: 67108864 bytes, at most 1048576 are read')
    expect(process.memoryUsage().arrayBuffers - beforeBytes).to.be.below(8 * 1024 * 1024)
  })
})
