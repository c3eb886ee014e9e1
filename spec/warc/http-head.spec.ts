import { expect } from 'chai'
import { contentTypeOf, parseHttpHead } from '../../lib/warc/http-head.js'

describe('contentTypeOf', () => {
  const cases: readonly { readonly values: readonly string[]; readonly contentType: string | undefined }[] = [
    { values: [], contentType: undefined },
    { values: ['text/html'], contentType: 'text/html' },
    { values: ['text/html', 'text/html; charset=windows-1251'], contentType: 'text/html; charset=windows-1251' },
    { values: ['text/html; charset=windows-1251', 'text/html'], contentType: 'text/html; charset=windows-1251' },
    { values: ['text/plain; charset=windows-1251', 'text/html'], contentType: 'text/html' },
    { values: ['text/html; charset=gbk, text/html'], contentType: 'text/html; charset=gbk' },
    { values: ['text/html', 'nonsense'], contentType: 'text/html, nonsense' },
    { values: ['text/html; name="a,b"; charset=gbk'], contentType: 'text/html; name="a,b"; charset=gbk' },
  ]
  for (const { values, contentType } of cases)
    it(`of ${JSON.stringify(values)} is ${contentType ?? 'none'}`, () => {
      const head = ['HTTP/1.1 200 OK', ...values.map(value => `Content-Type: ${value}`), '', ''].join('\r\n')
      expect(contentTypeOf(parseHttpHead(Buffer.from(head)).fields)?.trim()).to.equal(contentType)
    })
})
