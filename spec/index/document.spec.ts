import { expect } from 'chai'
import { configWith } from '../../lib/config/resolve-config.js'
import { buildDocument, type IndexedPage } from '../../lib/index/document.js'
import type { DbDatum } from '../../lib/record/records.js'
import { storedUrl } from '../../lib/record/url.js'

const url = storedUrl('http://www.example.co.uk/a/b?c=1')
const datum: DbDatum = {
  url,
  status: 'db_fetched',
  fetchTimeMs: 0,
  modifiedTimeMs: 0,
  retries: 0,
  fetchIntervalS: 1,
  score: 1,
  metadata: { list: 'spring', kinds: 'x\ny' },
}
const page: IndexedPage = {
  id: url,
  parse: {
    url,
    status: 'success',
    title: 'A title',
    text: 'some text',
    outlinks: [],
    metadata: { 'Content-Type': 'text/html', language: 'en-GB', 'metatag.description': 'about', 'metatag.author': 'a\nb' },
    robots: { noindex: false, nofollow: false, noarchive: false },
    signature: Uint8Array.of(0xab, 1),
  },
  datum,
  segment: '20260131000000',
  anchors: ['to it', 'To it'],
  boost: 0.5,
  fetchTimeMs: Date.UTC(2026, 0, 31),
  contentLengthBytes: 77,
  headers: { server: ['one', 'two'] },
}
const fieldsOf = (changes: Partial<IndexedPage> = {}, options: Record<string, unknown> = {}) =>
  buildDocument({ ...page, ...changes }, configWith({ 'index.parse.md': '', ...options }).index).fields
const parseWith = (parse: Partial<IndexedPage['parse']>) => ({ parse: { ...page.parse, ...parse } })

describe('buildDocument', () => {
  it('has the fields of index-basic, -anchor and -more and of the language, in a fixed order', () => {
    expect(Object.entries(fieldsOf())).to.deep.equal([
      ['id', 'http://www.example.co.uk/a/b?c=1'],
      ['url', 'http://www.example.co.uk/a/b?c=1'],
      ['host', 'www.example.co.uk'],
      ['title', 'A title'],
      ['content', 'some text'],
      ['anchor', ['to it', 'To it']],
      ['tstamp', '2026-01-31T00:00:00.000Z'],
      ['type', ['text/html', 'text', 'html']],
      ['contentLength', 77],
      ['lang', 'en'],
      ['date', '2026-01-31T00:00:00.000Z'],
      ['digest', 'ab01'],
      ['boost', 0.5],
      ['segment', '20260131000000'],
    ])
  })

  for (const { what, changes = {}, options = {}, field, value } of [
    { what: 'domain on demand', options: { 'indexer.add.domain': true }, field: 'domain', value: 'example.co.uk' },
    { what: 'no empty title', changes: parseWith({ title: '' }), field: 'title', value: undefined },
    { what: 'a title cut at 100 by default', changes: parseWith({ title: 'x'.repeat(101) }), field: 'title', value: 'x'.repeat(100) },
    {
      what: 'a title of any length',
      changes: parseWith({ title: 'x'.repeat(101) }),
      options: { 'indexer.max.title.length': -1 },
      field: 'title',
      value: 'x'.repeat(101),
    },
    {
      what: 'no half characters',
      changes: parseWith({ title: 'ab\u{1f600}' }),
      options: { 'indexer.max.title.length': 3 },
      field: 'title',
      value: 'ab',
    },
    { what: 'cut content', options: { 'indexer.max.content.length': 4 }, field: 'content', value: 'some' },
    { what: 'no content for a limit of 0', options: { 'indexer.max.content.length': 0 }, field: 'content', value: '' },
    { what: 'no replacement characters', changes: parseWith({ text: 'a\ufffdb' }), field: 'content', value: 'ab' },
    { what: 'no anchors where there are none', changes: { anchors: [] }, field: 'anchor', value: undefined },
    { what: 'anchors once, whatever their case', options: { 'anchorIndexingFilter.deduplicate': true }, field: 'anchor', value: ['to it'] },
    { what: 'the type alone', options: { 'moreIndexingFilter.indexMimeTypeParts': false }, field: 'type', value: 'text/html' },
    { what: 'the first of several languages', changes: parseWith({ metadata: { language: 'de_AT, en' } }), field: 'lang', value: 'de' },
    { what: 'no language that is none', changes: parseWith({ metadata: { language: 'english' } }), field: 'lang', value: undefined },
    { what: 'the date of the server', changes: { modifiedTimeMs: 1000 }, field: 'date', value: '1970-01-01T00:00:01.000Z' },
    { what: 'lastModified if the server says it', changes: { modifiedTimeMs: 1000 }, field: 'lastModified', value: '1970-01-01T00:00:01.000Z' },
    { what: 'no lastModified otherwise', field: 'lastModified', value: undefined },
    {
      what: 'cache where it is forbidden',
      changes: parseWith({ robots: { noindex: false, nofollow: false, noarchive: true } }),
      field: 'cache',
      value: 'all',
    },
    { what: 'the representative URL', changes: { datum: { ...datum, metadata: { _repr_: 'http://x.org/' } } }, field: 'url', value: 'http://x.org/' },
    { what: 'its host', changes: { datum: { ...datum, metadata: { _repr_: 'http://x.org/' } } }, field: 'host', value: 'x.org' },
    { what: 'but its own id', changes: { datum: { ...datum, metadata: { _repr_: 'http://x.org/' } } }, field: 'id', value: url },
    { what: 'parse metadata', options: { 'index.parse.md': 'metatag.description' }, field: 'metatag.description', value: 'about' },
    { what: 'several values of it', options: { 'index.parse.md': 'metatag.author' }, field: 'metatag.author', value: ['a', 'b'] },
    { what: 'metadata of the CrawlDb', options: { 'index.db.md': 'list,none' }, field: 'list', value: 'spring' },
    { what: 'no field for what is not there', options: { 'index.db.md': 'list,none' }, field: 'none', value: undefined },
    { what: 'no field for what every object has', options: { 'index.content.md': 'constructor' }, field: 'constructor', value: undefined },
    { what: 'response headers in any case', options: { 'index.content.md': 'Server' }, field: 'Server', value: ['one', 'two'] },
    { what: 'static fields', options: { 'index.static': 'source:intranet,kind:a b' }, field: 'source', value: 'intranet' },
    { what: 'several values of them', options: { 'index.static': 'source:intranet,kind:a b' }, field: 'kind', value: ['a', 'b'] },
    { what: 'static values behind those that are there', options: { 'index.static': 'title:more' }, field: 'title', value: ['A title', 'more'] },
    { what: 'the body on demand', changes: { binaryContent: 'YWI=' }, field: 'binaryContent', value: 'YWI=' },
  ])
    it(`gives ${what}`, () => {
      const fields = fieldsOf(changes, options)
      expect(Object.hasOwn(fields, field)).to.equal(value !== undefined)
      if (value !== undefined) expect(fields[field]).to.deep.equal(value)
    })
})
