import { expect } from 'chai'
import { configWith } from '../../lib/config/resolve-config.js'
import { storedUrl } from '../../lib/record/url.js'

import { createUrlRules } from '../../pipelines/crawl-url-rules.js'
import { PageWork } from '../../pipelines/page-work.js'
import { createScoring } from '../../pipelines/rules.js'
import { dbDatum } from '../support/db-datum.js'

describe('parse.filter.urls and parse.normalize.urls', () => {
  const url = storedUrl('http://a.example/')
  const body = '<a href="/b.gif">1</a><a href="/C/../d?utm_source=x">2</a><a href="http:///">3</a><meta http-equiv=refresh content="9;url=/e.gif">'
  const linksWith = (values: Readonly<Record<string, unknown>>): string[] => {
    const config = configWith(values)
    const work = new PageWork({ config, rules: createUrlRules(config), scoring: createScoring(config) })
    const input = { url, bytes: Buffer.from(body), headers: [], contentType: 'text/html' }
    return work.parse(url, dbDatum({ url }), input).links.map(({ to }) => to.replace('http://a.example', ''))
  }

  for (const { values, links, why } of [
    { values: {}, links: ['/d'], why: 'both are on by default' },
    { values: { 'parse.filter.urls': false }, links: ['/b.gif', '/d', '/e.gif'], why: 'nothing is filtered' },
    { values: { 'parse.normalize.urls': false }, links: ['/d?utm_source=x'], why: 'outlinks are only made canonical' },
    {
      values: { 'parse.filter.urls': false, 'parse.normalize.urls': false },
      links: ['/b.gif', '/d?utm_source=x', '/e.gif'],
      why: 'neither',
    },
  ])
    it(`give ${links.join(' ')}: ${why}`, () => expect(linksWith(values)).to.deep.equal(links))
})
