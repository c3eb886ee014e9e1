import { expect } from 'chai'
import { parsePage } from '../../lib/parse/parse-page.js'
import { findUrls } from '../../lib/parse/text/find-urls.js'
import { cutText, TextBuilder } from '../../lib/parse/text/text-builder.js'
import { parseOptions } from './parse-support.js'

describe('URLs in running text', () => {
  const cases: readonly { readonly text: string; readonly urls: readonly string[] }[] = [
    { text: 'See http://example.com/a. And https://example.org/b?c=d#e, too!', urls: ['http://example.com/a', 'https://example.org/b?c=d#e'] },
    {
      text: '(http://example.com/a) <http://example.com/b> "http://example.com/c"',
      urls: ['http://example.com/a', 'http://example.com/b', 'http://example.com/c'],
    },
    { text: 'http://en.example.org/Rail_(gun) [http://example.com/x]', urls: ['http://en.example.org/Rail_(gun)', 'http://example.com/x'] },
    { text: 'http:// https:///x mailto:a@b.c www.example.com ftp://ftp.example.com/pub', urls: ['ftp://ftp.example.com/pub'] },
    { text: '見よhttp://example.jp/道。', urls: ['http://example.jp/道'] },
    { text: `http://example.com/${'x'.repeat(5000)}`, urls: [] },
    { text: 'http://example.com/...', urls: ['http://example.com/'] },
  ]
  for (const { text, urls } of cases) {
    it(JSON.stringify(text.slice(0, 60)), () => expect([...findUrls(text)].map(({ url }) => url)).to.deep.equal(urls))
  }

  it('are the links of plain text, whose lines are kept', () => {
    const bytes = Buffer.from('one  two\n  http://example.com/a\n')
    const parse = parsePage({ url: 'http://example.com/t.txt', bytes, contentType: 'text/plain' }, parseOptions())
    expect(parse.text).to.equal('one  two\n  http://example.com/a')
    expect(parse.links).to.deep.equal([{ url: 'http://example.com/a', anchor: '', rel: '', element: 'text' }])
  })
})

describe('the text builder', () => {
  it('keeps to its limit', () => {
    const text = new TextBuilder(10)
    for (let count = 0; count < 5; count++) text.add('word ')
    expect(text.toString()).to.equal('word word')
    expect(text.isFull).to.equal(true)
  })

  it('cuts no character in two', () => {
    expect(cutText('a😀b', 2)).to.equal('a')
    expect(cutText('a😀b', 3)).to.equal('a😀')
  })

  it('gives the text since a mark on one line', () => {
    const text = new TextBuilder(1000)
    text.add('before ')
    const mark = text.position
    text.add(' a')
    text.breakLine()
    text.add('b')
    expect(text.textSince(mark, 100)).to.equal('a b')
    expect(text.textSince(mark, 2)).to.equal('a ')
  })
})
