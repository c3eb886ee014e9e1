import { expect } from 'chai'
import { parsePage } from '../../lib/parse/parse-page.js'
import { describeCorpus, readCorpus } from '../support/corpus.js'
import { parseOptions } from './parse-support.js'

interface TreeCase {
  readonly id: string
  readonly data: string
  readonly document: string
  readonly fragment?: string
  readonly scripting?: boolean
}

const linkAttributes: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  area: ['href'],
  audio: ['src'],
  embed: ['src'],
  frame: ['src'],
  iframe: ['src'],
  img: ['src'],
  input: ['src'],
  link: ['href'],
  object: ['data'],
  script: ['src'],
  source: ['src'],
  video: ['src', 'poster'],
}

const base = 'http://example.com/d/'

/** `element url` of the links in a tree of html5lib's text form, each once. */
function linksOfTree(document: string): string[] {
  const links = new Set<string>()
  let element = ''
  for (const line of document.split('\n')) {
    const opened = /^\| *<([a-z0-9]+)>$/.exec(line)?.[1]
    if (opened !== undefined) element = opened
    else if (/^\| *</.test(line)) element = ''
    const [, name, value] = /^\| +([a-z]+)="(.*)"$/.exec(line) ?? []
    if (name !== undefined && value !== undefined && linkAttributes[element]?.includes(name) && URL.canParse(value, base)) {
      links.add(`${element} ${new URL(value, base).href}`)
    }
  }
  return [...links].sort()
}

/** The first title of the tree that is no SVG's, on one line. */
function titleOfTree(document: string): string {
  const title = /^\| *<title>\n((?:\| *"[^"]*"\n?)*)/m.exec(document)?.[1] ?? ''
  return title
    .replace(/^\| *"|"$/gm, '')
    .replace(/\s+/g, ' ')
    .trim()
}

describeCorpus('trees of html5lib’s own tests', () => {
  const cases = (readCorpus<TreeCase>('html/html5lib-tree.json')?.cases ?? []).filter(
    ({ fragment, scripting }) => fragment === undefined && scripting !== true,
  )

  it('have the links and titles that are read', () => {
    expect(cases).to.have.length.above(1200)
    for (const { id, data, document } of cases) {
      const parse = parsePage({ url: base, bytes: Buffer.from(data), contentType: 'text/html; charset=utf-8' }, parseOptions())
      expect([...new Set(parse.links.map(({ element, url }) => `${element} ${url}`))].sort(), `${id} ${data}`).to.deep.equal(linksOfTree(document))
      if (!data.includes('\n')) expect(parse.title, `${id} ${data}`).to.equal(titleOfTree(document))
    }
  })
})
