import { expect } from 'chai'
import type { PageReader } from '../../lib/parse/document.js'
import type { ParseFilter } from '../../lib/parse/parse-filter.js'
import { parsePage } from '../../lib/parse/parse-page.js'
import { emptyRawPage } from '../../lib/parse/raw-page.js'
import { parseOptions } from './parse-support.js'

const page = {
  url: 'http://example.com/',
  contentType: 'text/html; charset=utf-8',
  bytes: Buffer.from('<p CLASS="a&amp;b" data-x>one</p><script>two</script><a href=/n>three</a>'),
}

describe('parse filters', () => {
  it('see the events of the markup, and change nothing by seeing', () => {
    const events: string[] = []
    const filter: ParseFilter = {
      name: 'see',
      observe: () => ({
        openElement: (name, attributes) => void events.push(`<${name} ${JSON.stringify(attributes)}>`),
        closeElement: name => void events.push(`</${name}>`),
        characters: text => void events.push(text),
      }),
    }
    expect(parsePage(page, { ...parseOptions(), filters: [filter] })).to.deep.equal(parsePage(page, parseOptions()))
    expect(events).to.deep.equal([
      '<p {"class":"a&b","data-x":""}>',
      'one',
      '</p>',
      '<script {}>',
      'two',
      '</script>',
      '<a {"href":"/n"}>',
      'three',
      '</a>',
    ])
  })

  it('see the same whichever reader is chosen', () => {
    const seen: string[] = []
    const filter: ParseFilter = { name: 'see', observe: () => ({ openElement: name => void seen.push(name) }) }
    parsePage(page, { ...parseOptions({ 'parser.html.impl': 'sax' }), filters: [filter] })
    expect(seen.filter(name => name !== 'x-page')).to.deep.equal(['p', 'script', 'a'])
  })

  it('change the result one after another, observers first', () => {
    const counting: ParseFilter = {
      name: 'count',
      observe: () => {
        let paragraphs = 0
        return {
          openElement: name => {
            if (name === 'p') paragraphs++
          },
          finish: parse => ({ ...parse, metadata: { ...parse.metadata, paragraphs: String(paragraphs) } }),
        }
      },
    }
    const shouting: ParseFilter = { name: 'shout', filter: parse => ({ ...parse, title: `paragraphs: ${parse.metadata.paragraphs}` }) }
    const parse = parsePage(page, { ...parseOptions(), filters: [counting, shouting] })
    expect(parse.title).to.equal('paragraphs: 1')
  })

  for (const [where, filter] of Object.entries<ParseFilter>({
    observe: {
      name: 'bad',
      observe: () => {
        throw new Error('at once')
      },
    },
    event: {
      name: 'bad',
      observe: () => ({
        characters: () => {
          throw new Error('at once')
        },
      }),
    },
    filter: {
      name: 'bad',
      filter: () => {
        throw new Error('at once')
      },
    },
  })) {
    it(`that throw (${where}) make the parse of that page fail`, () => {
      const parse = parsePage(page, { ...parseOptions(), filters: [filter] })
      expect(parse).to.include({ status: 'failed', cause: 'plugin: bad: at once', text: '' })
      expect(parse.links).to.deep.equal([])
    })
  }
})

describe('readers of plugins', () => {
  it('read types that are not read otherwise, and go before the own ones', () => {
    const reader: PageReader = document => ({ raw: { ...emptyRawPage(), title: document.mediaType }, text: document.text().toUpperCase() })
    const readers = new Map([
      ['application/x-own', reader],
      ['text/html', reader],
    ])
    for (const contentType of readers.keys()) {
      const parse = parsePage({ url: page.url, contentType, bytes: Buffer.from('abc') }, { ...parseOptions(), readers })
      expect(parse).to.include({ status: 'success', title: contentType, text: 'ABC' })
    }
  })
})
