import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { PageParse } from '../../lib/parse/page.js'
import { parsePage } from '../../lib/parse/parse-page.js'
import { describeCorpus, readCorpus } from '../support/corpus.js'
import { parseOptions } from './parse-support.js'

interface NutchCase {
  readonly id: string
  readonly op: 'page' | 'robotsMeta' | 'headings' | 'metatags' | 'jsOutlinks'
  readonly html?: string
  readonly page?: string
  readonly base?: string
  readonly useFormAction?: boolean
  readonly title?: string
  readonly text?: string
  readonly outlinks?: readonly (readonly [url: string, anchor: string])[]
  readonly uniqueUrls?: readonly string[]
  readonly urlsInclude?: readonly string[]
  readonly urlsExclude?: readonly string[]
  readonly noIndex?: boolean
  readonly noFollow?: boolean
  readonly noCache?: boolean
  readonly h1?: string
  readonly description?: string
  readonly keywords?: readonly string[]
}

const withoutSpace = (text: string): string => text.replace(/\s+/g, '')
const collapse = (text: string): string => text.replace(/\s+/g, ' ').trim()

function checkPageCase(parse: PageParse, wanted: NutchCase): void {
  // Nutch's parser drops links marked nofollow; we mark them, and the outlink rules drop them.
  const links = parse.links.filter(({ rel }) => !rel.split(' ').includes('nofollow'))
  const urls = links.map(({ url }) => url)
  if (wanted.title !== undefined) expect(parse.title).to.equal(wanted.title)
  if (wanted.text !== undefined) expect(withoutSpace(parse.text)).to.equal(withoutSpace(wanted.text))
  if (wanted.outlinks !== undefined) {
    expect(links.map(({ url, anchor }) => [url, anchor])).to.deep.equal(wanted.outlinks.map(([url, anchor]) => [new URL(url).href, collapse(anchor)]))
  }
  if (wanted.uniqueUrls !== undefined) expect([...new Set(urls)]).to.deep.equal(wanted.uniqueUrls)
  if (wanted.urlsInclude !== undefined) expect(urls).to.include.members([...wanted.urlsInclude])
  for (const url of wanted.urlsExclude ?? []) expect(urls).not.to.include(url)
}

describeCorpus('cases of Nutch’s own tests of parse-html', folder => {
  for (const wanted of readCorpus<NutchCase>('html/nutch-cases.json')?.cases ?? []) {
    it(`${wanted.id} ${wanted.op}`, function checkCase() {
      if (wanted.op === 'jsOutlinks') {
        this.skip() // Nutch's parse-js hunts for URLs in scripts; here text in a script never becomes a link
        return
      }
      const bytes = wanted.page === undefined ? Buffer.from(wanted.html ?? '') : readFileSync(join(folder, 'html/pages', wanted.page))
      const options = parseOptions({ 'parser.html.form.use_action': wanted.useFormAction === true })
      const parse = parsePage({ url: wanted.base ?? 'http://www.example.com/', bytes, contentType: 'text/html' }, options)
      if (wanted.op === 'page') checkPageCase(parse, wanted)
      else if (wanted.op === 'headings') expect(parse.metadata.h1).to.equal(wanted.h1)
      else if (wanted.op === 'metatags') {
        expect(parse.metadata['metatag.description']).to.equal(wanted.description)
        expect(parse.metadata['metatag.keywords']?.split('\n')).to.deep.equal(wanted.keywords)
      } else {
        expect(parse.robots).to.deep.include({ noindex: wanted.noIndex, nofollow: wanted.noFollow, noarchive: wanted.noCache })
      }
    })
  }
})
