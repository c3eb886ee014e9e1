import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { charsetOfLabel, charsetParameter } from '../../lib/parse/charset/charset-label.js'
import { decideCharset } from '../../lib/parse/charset/decide-charset.js'
import { decodeAll } from '../../lib/parse/charset/decode-bytes.js'
import { StreamDecoder } from '../../lib/parse/charset/stream-decoder.js'
import { parsePage } from '../../lib/parse/parse-page.js'
import { describeCorpus, readCorpus } from '../support/corpus.js'
import { parseHtml, parseOptions } from './parse-support.js'

const options = parseOptions()

interface CharsetCase {
  readonly id: string
  readonly file: string
  readonly contentType?: string | null
  readonly default?: string | null
  readonly expected: string | null
}

/** Undeclared samples that are not named as the table names them, and why. */
const otherwise: Readonly<Record<string, string>> = {
  'und-s0001': 'a text of many languages in a broken mix of charsets, which is no UTF-8',
  'und-s0017': 'a few characters of Chinese, of which the detector is not sure',
  'und-s0100': 'reads the same as iso-8859-7, the plainer name',
}

/** Names that mean the same charset to the Encoding Standard, or a mark that says more than the name. */
const sameCharset: Readonly<Record<string, readonly string[]>> = { 'utf-16': ['utf-16le', 'utf-16be'], 'iso-8859-9': ['windows-1254'] }

describeCorpus('charsets of corpus/charset', folder => {
  const bytesOf = (file: string): Buffer => readFileSync(join(folder, 'charset', file))

  it('are those of browsers where a page declares one', () => {
    const cases = readCorpus<CharsetCase>('charset/declared.json')?.cases ?? []
    expect(cases).to.have.length(70)
    for (const { id, file, contentType, default: defaultCharset, expected } of cases) {
      if (expected === null) continue
      const decision = decideCharset(bytesOf(file), contentType ?? undefined, { ...options, defaultCharset: defaultCharset ?? 'windows-1252' })
      expect(decision.charset, id).to.equal(expected)
    }
  })

  it('are guessed right where it declares none, but for what is listed', () => {
    const cases = readCorpus<CharsetCase>('charset/undeclared.json')?.cases ?? []
    expect(cases).to.have.length(107)
    for (const { id, file, expected } of cases) {
      const { charset } = decideCharset(bytesOf(file), undefined, options)
      const accepted = [expected, ...(sameCharset[expected ?? ''] ?? [])]
      if (otherwise[id] === undefined) expect(accepted, `${id}: ${charset}`).to.include(charset)
      else expect(accepted, `${id} is listed, but right`).not.to.include(charset)
    }
  })

  it('are found by the prescan as html5lib’s cases say', () => {
    const cases = readCorpus<{ id: string; data?: string; dataBase64?: string; expected: string }>('charset/html5lib-sniff.json')?.cases ?? []
    expect(cases).to.have.length(66)
    for (const { id, data, dataBase64, expected } of cases) {
      const bytes = data === undefined ? Buffer.from(dataBase64 ?? '', 'base64') : Buffer.from(data)
      expect(decideCharset(bytes, undefined, { defaultCharset: 'windows-1252', minCharsetConfidence: -1 }).charset, id).to.equal(expected)
    }
  })

  it('decode as the table says', () => {
    for (const { id, label, bytesBase64, text } of readCorpus<{ id: string; label: string; bytesBase64: string; text: string }>('charset/decode.json')
      ?.cases ?? []) {
      const charset = charsetOfLabel(label)
      expect(charset, `${id}: ${label}`).to.be.a('string')
      expect(decodeAll(Buffer.from(bytesBase64, 'base64'), charset ?? ''), id).to.equal(text)
    }
  })

  it('make the texts of Nutch’s own test pages readable', () => {
    const cases =
      readCorpus<{ id: string; file: string; title: string; keywords?: string; textContains?: readonly string[] }>('charset/nutch-parse.json')
        ?.cases ?? []
    for (const { id, file, title, keywords, textContains = [] } of cases) {
      const parse = parsePage({ url: 'http://example.com/', bytes: bytesOf(file), contentType: 'text/html' }, options)
      expect(parse.title, id).to.equal(title)
      if (keywords !== undefined) expect(parse.metadata['metatag.keywords'], id).to.equal(keywords)
      for (const part of textContains) expect(parse.text, id).to.include(part)
    }
  })
})

describe('the decision for a charset', () => {
  const cyrillic = Buffer.concat(['Съешь же ещё этих мягких французских булок, да выпей чаю. '.repeat(4)].map(windows1251))
  const cases: readonly {
    readonly why: string
    readonly bytes: Buffer
    readonly contentType?: string
    readonly charset: string
    readonly source: string
  }[] = [
    {
      why: 'a mark goes before all',
      bytes: Buffer.from('\ufeff<meta charset=koi8-r>'),
      contentType: 'text/html; charset=big5',
      charset: 'utf-8',
      source: 'bom',
    },
    {
      why: 'then the header',
      bytes: Buffer.from('<meta charset=koi8-r>'),
      contentType: 'text/html; charset="BIG5"',
      charset: 'big5',
      source: 'header',
    },
    {
      why: 'then the meta element',
      bytes: Buffer.from('<meta charset=koi8-r>'),
      contentType: 'text/html; charset=nonsense',
      charset: 'koi8-r',
      source: 'meta',
    },
    { why: 'also one that stands late', bytes: Buffer.from(`<!--${'x'.repeat(5000)}--><meta charset=koi8-r>`), charset: 'koi8-r', source: 'meta' },
    { why: 'or the XML declaration', bytes: Buffer.from('<?xml version="1.0" encoding="koi8-r"?><html/>'), charset: 'koi8-r', source: 'xml' },
    { why: 'UTF-16 in a meta element is UTF-8', bytes: Buffer.from('<meta charset=utf-16le>'), charset: 'utf-8', source: 'meta' },
    { why: 'what is UTF-8 is taken as it', bytes: Buffer.from('caf\u00e9'), charset: 'utf-8', source: 'utf8' },
    { why: 'the detector is asked for the rest', bytes: cyrillic, charset: 'windows-1251', source: 'detector' },
    {
      why: 'also where UTF-8 is declared and nothing is',
      bytes: cyrillic,
      contentType: 'text/html; charset=utf-8',
      charset: 'windows-1251',
      source: 'detector',
    },
    {
      why: 'not for one slip in UTF-8',
      bytes: Buffer.from([0x61, 0xe9, 0x62]),
      contentType: 'text/html; charset=utf-8',
      charset: 'utf-8',
      source: 'header',
    },
    {
      why: 'and the default where nothing is UTF-8, and too little is there to guess by',
      bytes: Buffer.from('caf\u00e9 na\u00efve', 'latin1'),
      contentType: 'text/html; charset=utf-8',
      charset: 'windows-1252',
      source: 'default',
    },
    { why: 'ASCII has the default', bytes: Buffer.from('plain'), charset: 'windows-1252', source: 'default' },
    { why: 'so has nothing', bytes: Buffer.alloc(0), charset: 'windows-1252', source: 'default' },
  ]
  for (const { why, bytes, contentType, charset, source } of cases) {
    it(why, () => expect(decideCharset(bytes, contentType, options)).to.include({ charset, source }))
  }

  it('is stored, with the charset that was declared wrongly', () => {
    const parse = parseHtml('', {}, { bytes: cyrillic })
    expect(parse).to.include({ charset: 'windows-1251', charsetSource: 'detector' })
    expect(parse.metadata.OriginalCharEncoding).to.equal('utf-8')
    expect(parse.text).to.match(/^Съешь/)
  })

  it('follows the option', () => {
    const guess = (values: Readonly<Record<string, unknown>>, bytes: Buffer): string => decideCharset(bytes, undefined, parseOptions(values)).charset
    expect(guess({ 'encodingdetector.charset.min.confidence': -1, 'parser.character.encoding.default': 'iso-8859-16' }, cyrillic)).to.equal(
      'iso-8859-16',
    )
    expect(guess({ 'encodingdetector.charset.min.confidence': 100 }, cyrillic)).to.equal('windows-1252')
  })
})

function windows1251(text: string): Buffer {
  return Buffer.from([...text].map(character => byteOf(character.codePointAt(0) ?? 0)))
}

function byteOf(code: number): number {
  if (code === 0x451) return 0xb8
  return code >= 0x410 && code <= 0x44f ? code - 0x410 + 0xc0 : code
}

describe('labels and decoders', () => {
  it('read charset= as the standard does', () => {
    const cases = {
      'text/html; charset=x': 'x',
      'charset = "a b"': 'a b',
      "charset='y';z": 'y',
      'charset="open': undefined,
      'charsetx charset=z ;': 'z',
      none: undefined,
    }
    for (const [text, label] of Object.entries(cases)) expect(charsetParameter(text), text).to.equal(label)
  })

  it('know the labels of the Encoding Standard', () => {
    const cases = {
      latin1: 'windows-1252',
      ascii: 'windows-1252',
      ' UTF8 ': 'utf-8',
      sjis: 'shift_jis',
      'iso-8859-16': 'iso-8859-16',
      'x-user-defined': 'x-user-defined',
      bogus: undefined,
    }
    for (const [label, charset] of Object.entries(cases)) expect(charsetOfLabel(label), label).to.equal(charset)
  })

  it('decode windows-1252 as the Standard’s index says', () => {
    const bytes = Buffer.from([0x80, 0x91, 0x92, 0x93, 0x94, 0x96, 0x97, 0x99, 0x81, 0xe9])
    expect(decodeAll(bytes, 'windows-1252')).to.equal('€‘’“”–—™\u0081é')
    expect(new StreamDecoder('windows-1252').write(bytes)).to.equal('€‘’“”–—™\u0081é')
  })

  it('cut no character, wherever a piece ends', () => {
    const text = 'aé€😀'.repeat(30_000)
    expect(decodeAll(Buffer.from(text), 'utf-8')).to.equal(text)
    expect(decodeAll(Buffer.from(text, 'utf16le'), 'utf-16le')).to.equal(text)
  })

  it('replace what is malformed', () => {
    expect(decodeAll(Buffer.from([0x61, 0xff, 0x62, 0xe2, 0x82]), 'utf-8')).to.equal('a\ufffdb\ufffd')
    expect(decodeAll(Buffer.from([0x41, 0x80]), 'x-user-defined')).to.equal('A\uf780')
  })
})
