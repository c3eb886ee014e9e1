import { createHash } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { configWith } from '../../lib/config/resolve-config.js'
import { toHex } from '../../lib/record/json-fields.js'
import { signatureOf } from '../../lib/signature/signature-of.js'
import { hammingDistance, simHash } from '../../lib/signature/sim-hash.js'
import { textProfile } from '../../lib/signature/text-profile.js'
import { describeCorpus, readCorpus } from '../support/corpus.js'

const profile = 'db.signature.text_profile.'

function signed(
  page: { readonly url?: string; readonly bytes?: Uint8Array; readonly text?: string },
  values: Readonly<Record<string, unknown>> = {},
): string {
  return toHex(signatureOf({ url: '', bytes: new Uint8Array(), text: '', ...page }, configWith(values).signature))
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

const settings: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  default: {},
  minTokenLen3: { [`${profile}min_token_len`]: 3 },
  'quantRate0.2': { [`${profile}quant_rate`]: 0.2 },
  'minTokenLen0_quantRate0.05': { [`${profile}min_token_len`]: 0, [`${profile}quant_rate`]: 0.05 },
}

interface ProfileCase {
  readonly id: string
  readonly text: string
  readonly md5: string
  readonly textProfile: Readonly<Record<string, string>>
}

interface PairCase {
  readonly id: string
  readonly a: string
  readonly b: string
  readonly nearDuplicate: boolean
  readonly md5A: string
  readonly md5B: string
  readonly textProfileA: string
  readonly textProfileB: string
}

describeCorpus('signatures of corpus/signature', () => {
  it('are those of Nutch under all settings', () => {
    const cases = readCorpus<ProfileCase>('signature/text-profile.json')?.cases ?? []
    expect(cases).to.have.length(64)
    for (const wanted of cases) {
      const page = { bytes: Buffer.from(wanted.text), text: wanted.text }
      expect(signed(page), wanted.id).to.equal(wanted.md5)
      expect(signed(page, { 'db.signature.class': 'TextMD5Signature' }), wanted.id).to.equal(wanted.md5)
      for (const [name, hex] of Object.entries(wanted.textProfile)) {
        expect(signed(page, { 'db.signature.class': 'TextProfileSignature', ...settings[name] }), `${wanted.id} ${name}`).to.equal(hex)
      }
    }
  })

  it('of the pairs are those of Nutch', () => {
    for (const { id, a, b, md5A, md5B, textProfileA, textProfileB } of readCorpus<PairCase>('signature/pairs.json')?.cases ?? []) {
      const profileOf = (text: string): string => signed({ text }, { 'db.signature.class': 'org.apache.nutch.crawl.TextProfileSignature' })
      expect([md5(a), md5(b), profileOf(a), profileOf(b)], id).to.deep.equal([md5A, md5B, textProfileA, textProfileB])
    }
  })

  it('by SimHash tell near-duplicates: all of them, and nothing else, from 6 to 20 bits', () => {
    const cases = readCorpus<PairCase>('signature/pairs.json')?.cases ?? []
    const distances = cases.map(({ a, b, nearDuplicate }) => ({ distance: hammingDistance(simHash(a), simHash(b)), nearDuplicate }))
    const near = cases.filter(({ nearDuplicate }) => nearDuplicate).length
    const table = [0, 3, 6, 10, 15, 20].map(limit => {
      const found = distances.filter(({ distance }) => distance <= limit)
      const right = found.filter(({ nearDuplicate }) => nearDuplicate).length
      return { limit, precision: found.length === 0 ? 1 : right / found.length, recall: right / near }
    })
    expect(table.map(({ precision }) => precision)).to.deep.equal([1, 1, 1, 1, 1, 1])
    expect(table.slice(2).map(({ recall }) => recall)).to.deep.equal([1, 1, 1, 1])
    expect(table[1]?.recall).to.be.at.least(0.7)
  })
})

describe('signatures', () => {
  it('of the bytes fall back to the URL, so that empty pages are not all one', () => {
    expect(signed({ url: 'http://example.com/' })).to.equal(md5('http://example.com/'))
    expect(signed({ url: 'http://example.com/', bytes: Buffer.from('x') })).to.equal(md5('x'))
  })

  for (const name of ['TextMD5Signature', 'TextProfileSignature', 'SimHash']) {
    it(`of the text (${name}) fall back to the bytes where there is no text`, () => {
      expect(signed({ url: 'u', bytes: Buffer.from('x') }, { 'db.signature.class': name })).to.equal(md5('x'))
    })
  }

  it('refuse a class that does not exist', () => {
    expect(() => configWith({ 'db.signature.class': 'Sha1' })).to.throw(/db\.signature\.class/)
  })
})

describe('the text profile', () => {
  const defaults = configWith().signature
  const cases: readonly { readonly why: string; readonly text: string; readonly options?: object; readonly lines: string }[] = [
    { why: 'counts tokens of more than two characters, lower case', text: 'The the a bb CCC', lines: 'the 2' },
    { why: 'keeps single ones where none comes twice', text: 'one two', lines: 'one 1\ntwo 1' },
    { why: 'sorts by count, then by name', text: 'bbb bbb aaa aaa ccc ccc ccc', options: { quantRate: 0 }, lines: 'aaa 2\nbbb 2\nccc 2' },
    {
      why: 'rounds counts down to a multiple',
      text: `${'xxx '.repeat(100)}${'yyy '.repeat(7)}`,
      options: { quantRate: 0.03 },
      lines: 'xxx 99\nyyy 6',
    },
    { why: 'keeps the order of the text if told so', text: 'bbb bbb aaa aaa', options: { sortsLexically: false }, lines: 'bbb 2\naaa 2' },
    { why: 'takes letters and digits of any script', text: 'δέκα-δέκα 123 123', lines: '123 2\nδέκα 2' },
    { why: 'takes no letters beyond the first plane, as Java’s char has none', text: '𝐚𝐛𝐜 𝐚𝐛𝐜', lines: '' },
    { why: 'makes lower case letter by letter, as Java does', text: 'ΛΟΓΟΣ λογοσ İİİ iii', lines: 'iii 2\nλογοσ 2' },
    { why: 'of nothing is nothing', text: ' .,; ', lines: '' },
  ]
  for (const { why, text, options, lines } of cases) {
    it(why, () => expect(textProfile(text, { ...defaults, ...options })).to.equal(lines))
  }
})

describe('SimHash', () => {
  it('has 64 bits, and is the same for the same words', () => {
    expect(simHash('a b c d')).to.have.length(8)
    expect(simHash('A b, c;  D!')).to.deep.equal(simHash('a b c d'))
    expect([...simHash('')]).to.deep.equal([0, 0, 0, 0, 0, 0, 0, 0])
    expect(simHash('word')).not.to.deep.equal(simHash('other'))
  })

  it('distances are a metric', () => {
    const hashes = fc.uint8Array({ minLength: 8, maxLength: 8 })
    fc.assert(
      fc.property(hashes, hashes, hashes, (a, b, c) => {
        expect(hammingDistance(a, a)).to.equal(0)
        expect(hammingDistance(a, b)).to.equal(hammingDistance(b, a))
        expect(hammingDistance(a, c)).to.be.at.most(hammingDistance(a, b) + hammingDistance(b, c))
      }),
    )
    expect(hammingDistance(Uint8Array.of(0xff, 0), Uint8Array.of(0, 1))).to.equal(9)
  })
})
