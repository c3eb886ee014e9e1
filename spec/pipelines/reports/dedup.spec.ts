import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { describeReport } from '../../support/play-report.js'

const urls = ['x?q=100%', 'x?q=%zz', 'x?q=%E9', 'xx?q=100%25ab', 'yyyyyyyyyyyyyy'].map(path => `http://a.example/${path}`)
/** As the CrawlDb holds them: a lone % is escaped. */
const stored = urls.map(url => url.replace(/%(?![\dA-F]{2})/gi, '%25'))
/** 24 characters when decoded; half a character of UTF-8 cannot be, and is compared as it stands. */
const shortest = ['http://a.example/x?q=%25zz', 'http://a.example/x?q=%E9']

/** A WARC record of a page: the same page, at the same time, for each URL. */
function warcRecord(url: string, index: number): string {
  const page = '<!doctype html><title>One page</title>'
  const block = `HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: ${page.length}\r\n\r\n${page}`
  const head = [
    'WARC/1.1',
    'WARC-Type: response',
    `WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-00000000000${index}>`,
    'WARC-Date: 2026-01-31T12:00:00Z',
    `WARC-Target-URI: ${url}`,
    'Content-Type: application/http;msgtype=response',
    `Content-Length: ${block.length}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${block}\r\n\r\n`
}

describeReport('R045', ['import', 'parse', 'updatedb', 'dedup', 'readdb'], play => {
  const survivors = new Set<string>()

  for (const { name, order } of [
    { name: 'in one order', order: urls },
    { name: 'in the reverse order', order: urls.toReversed() },
  ]) {
    it(`keeps one of the shortest, ${name}`, async () => {
      writeFileSync(join(play.folder(), 'pages.warc'), order.map(warcRecord).join(''))
      for (const args of [
        ['import', 'crawl', '--warc', 'pages.warc', '--no-normalize', '--no-filter'],
        ['parse', 'crawl'],
        ['updatedb', 'crawl'],
        ['dedup', 'crawl'],
      ]) {
        const { status, stderr } = await play.run([...args, '--now', '2026-02-01'])
        expect(status, `${args.join(' ')}\n${stderr}`).to.equal(0)
      }
      const statuses = [...(await play.dump()).values()].map(({ url, statusName }) => ({ url, statusName }))
      expect(statuses.map(({ url }) => url)).to.have.members(stored)
      expect(statuses.filter(({ statusName }) => statusName === 'db_duplicate')).to.have.lengthOf(4)
      const [kept] = statuses.filter(({ statusName }) => statusName === 'db_fetched')
      expect(kept?.url).to.be.oneOf(shortest)
      survivors.add(kept?.url ?? '')
    })
  }

  it('keeps the same in both', () => {
    expect(survivors.size).to.equal(1)
  })
})
