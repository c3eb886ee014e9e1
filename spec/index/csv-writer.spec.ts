import { expect } from 'chai'
import { csvHeader, csvRow } from '../../lib/index/csv-writer.js'

describe('csv', () => {
  it('has a header', () => expect(csvHeader(['id', 'a "b"'])).to.equal('id,"a ""b"""\r\n'))

  for (const { what, value, cell } of [
    { what: 'text', value: 'plain', cell: 'plain' },
    { what: 'commas', value: 'a,b', cell: '"a,b"' },
    { what: 'quotes', value: 'say "a"', cell: '"say ""a"""' },
    { what: 'line ends', value: 'a\nb\r', cell: '"a\nb\r"' },
    { what: 'numbers', value: 0.5, cell: '0.5' },
    { what: 'several values', value: ['a', 'b,c'], cell: '"a|b,c"' },
  ])
    it(`writes ${what}`, () => expect(csvRow({ id: 'u', fields: { id: 'u', f: value } }, ['f', 'id'])).to.equal(`${cell},u\r\n`))

  it('leaves a field that is not there empty', () => expect(csvRow({ id: 'u', fields: { id: 'u' } }, ['none', 'id', 'toString'])).to.equal(',u,\r\n'))
})
