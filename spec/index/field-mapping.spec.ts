import { expect } from 'chai'
import { isCrawlError } from '../../lib/errors/crawl-error.js'
import { mapFields, parseFieldMapping } from '../../lib/index/field-mapping.js'

const document = { id: 'u', fields: { id: 'u', title: 'T', content: 'C', boost: 1, anchor: ['a', 'b'] } }

describe('field mapping', () => {
  for (const { what, mapping, fields } of [
    { what: 'copies to one field', mapping: { copy: { title: 'search' } }, fields: { ...document.fields, search: 'T' } },
    {
      what: 'copies several into one',
      mapping: { copy: { title: ['all'], content: ['all'], anchor: ['all'] } },
      fields: { ...document.fields, all: ['T', 'C', 'a', 'b'] },
    },
    { what: 'renames', mapping: { rename: { content: 'body' } }, fields: { id: 'u', title: 'T', boost: 1, anchor: ['a', 'b'], body: 'C' } },
    {
      what: 'renames to what is there',
      mapping: { rename: { boost: 'anchor' } },
      fields: { id: 'u', title: 'T', content: 'C', anchor: ['a', 'b', '1'] },
    },
    { what: 'removes', mapping: { remove: ['anchor', 'boost', 'none'] }, fields: { id: 'u', title: 'T', content: 'C' } },
    {
      what: 'copies, then renames, then removes',
      mapping: { copy: { title: ['t'] }, rename: { t: 'name' }, remove: ['title', 'content', 'boost', 'anchor'] },
      fields: { id: 'u', name: 'T' },
    },
    {
      what: 'copies to a name that every object has',
      mapping: { copy: { title: ['constructor'] } },
      fields: { ...document.fields, constructor: 'T' },
    },
    { what: 'leaves all as it is', mapping: {}, fields: document.fields },
  ])
    it(what, () => {
      expect(mapFields(document, parseFieldMapping(JSON.stringify(mapping), 'm.json'))).to.deep.equal({ id: 'u', fields })
    })

  for (const { text, message } of [
    { text: '{', message: 'm.json does not read as JSON' },
    { text: '[]', message: 'm.json: a JSON object is wanted' },
    { text: '{"rename": {"a": 1}}', message: 'm.json: rename: a wants a name' },
    { text: '{"remove": "a"}', message: 'm.json: a list of names is wanted' },
    { text: '{"copy": {"a": [1]}}', message: 'm.json: a list of names is wanted' },
    { text: '{"move": {}}', message: 'm.json: unknown key move; copy, rename and remove are known' },
  ])
    it(`refuses ${text}`, () => {
      expect(() => parseFieldMapping(text, 'm.json'))
        .to.throw(message)
        .that.satisfies((error: unknown) => isCrawlError(error, 'CONFIG_INVALID'))
    })
})
