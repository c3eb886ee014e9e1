import { expect } from 'chai'
import { optionGroups } from '../../lib/config/options.js'
import { urlScopes } from '../../lib/config/url-options.js'
import { readSources } from './source-files.js'

// Options of scopes partition and generate_host_count, of ignored redirects and of links' rules were in every table and did nothing.
describe('options', () => {
  const readers = readSources('lib', 'pipelines').filter(({ path }) => !path.startsWith('lib/config/'))
  const isNamed = (pattern: RegExp): boolean => readers.some(({ text }) => pattern.test(text))

  it('are each read by what they are for', () => {
    const scoped = new RegExp(`_(?:${urlScopes.join('|')})$`)
    const names = Object.values(optionGroups).flatMap(fields => Object.keys(fields))
    expect(names.filter(name => !scoped.test(name) && !isNamed(new RegExp(`\\b${name}\\b`)))).to.deep.equal([])
  })

  it('of the scopes of URLs are each asked for', () => {
    expect(urlScopes.filter(scope => !isNamed(new RegExp(`'${scope}'`)))).to.deep.equal([])
  })
})
