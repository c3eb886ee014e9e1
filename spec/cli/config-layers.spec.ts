import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { readConfigLayers } from '../../pipelines/cli/config-layers.js'
import { useTempFolders } from '../support/temp-folder.js'

const newFolder = useTempFolders()
const xml = '<configuration><property><name>http.agent.name</name><value>a</value></property></configuration>'

describe('readConfigLayers', () => {
  it('reads nutch-site.xml before millrace.config.json, and is strict with the second only', () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'nutch-site.xml'), xml)
    writeFileSync(join(folder, 'millrace.config.json'), '{"$schema": "x", "plugins": ["./p.js"], "http.agent.name": "b"}')
    expect(readConfigLayers(folder)).to.deep.equal([
      { source: join(folder, 'nutch-site.xml'), values: { 'http.agent.name': 'a' }, isStrict: false },
      { source: join(folder, 'millrace.config.json'), values: { 'http.agent.name': 'b', 'millrace.plugins': [join(folder, 'p.js')] } },
    ])
  })

  it('reads none where there is none, also for a folder that does not exist yet', () => {
    expect(readConfigLayers(newFolder())).to.deep.equal([])
    expect(readConfigLayers(join(newFolder(), 'not', 'there'))).to.deep.equal([])
  })

  it('reads the file that --config names instead', () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'millrace.config.json'), '{"a": 1}')
    writeFileSync(join(folder, 'other.json'), '{"b": 2}')
    expect(readConfigLayers(folder, join(folder, 'other.json')).map(({ values }) => values)).to.deep.equal([{ b: 2 }])
  })

  for (const { name, text, message } of [
    { name: 'text that is no JSON', text: '{"a": }', message: /does not read as JSON/ },
    { name: 'an array', text: '[]', message: /a JSON object is wanted/ },
    { name: 'null', text: 'null', message: /a JSON object is wanted/ },
    { name: 'nothing', text: '', message: /does not read as JSON/ },
  ]) {
    it(`refuses ${name}, naming the file`, () => {
      const file = join(newFolder(), 'c.json')
      writeFileSync(file, text)
      expect(() => readConfigLayers('.', file))
        .to.throw(CrawlError, message)
        .with.property('code', 'CONFIG_INVALID')
      expect(() => readConfigLayers('.', file)).to.throw(file)
    })
  }

  it('refuses a named file that cannot be read, and says why', () => {
    const folder = newFolder()
    expect(() => readConfigLayers('.', join(folder, 'missing.json')))
      .to.throw(CrawlError, 'cannot be read')
      .with.property('code', 'CONFIG_INVALID')
    mkdirSync(join(folder, 'folder.json'))
    expect(() => readConfigLayers('.', join(folder, 'folder.json'))).to.throw(CrawlError, 'cannot be read')
  })
})
