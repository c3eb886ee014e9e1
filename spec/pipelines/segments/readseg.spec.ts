import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { CrawlDatum } from '../../../lib/record/records.js'
import { storedUrl } from '../../../lib/record/url.js'
import { outcomeDatum } from '../../../lib/segment/nutch-segment-text.js'
import { sealSegment } from '../../../lib/segment/seal-segment.js'
import { indexWarc } from '../../../lib/warc/index-warc.js'
import { recordsToNutchDump } from '../../../pipelines/segment-forms.js'
import { fetchTimeMs, outcomeOf } from '../../segment/segment-fixtures.js'
import { describeCorpus } from '../../support/corpus.js'
import { runCommand } from '../../support/run-command.js'
import { useTempFolders } from '../../support/temp-folder.js'
import { crawledSegment, somePages } from './crawled-segment.js'

const plainDatum = (status: string, fetched: string, more = ''): string =>
  `Version: 7\nStatus: ${status}\nFetch time: ${fetched}\nModified time: Thu Jan 01 00:00:00 UTC 1970\nRetries since fetch: 0\n` +
  `Retry interval: 2592000 seconds (30 days)\nScore: 1.0\nSignature: null\nMetadata: \n ${more}`

/** What `readseg --get http://a.test/` prints, in Nutch's words. */
const startText = `Content::
Version: -1
url: http://a.test/
base: http://a.test/
contentType: text/html
metadata: Content-Type=text/html Content-Length=71 
Content:
<html><head><title>start</title></head><body><p>start</p></body></html>
Crawl Generate::
${plainDatum('1 (db_unfetched)', 'Wed Mar 04 05:06:06 UTC 2026')}
Crawl Fetch::
${plainDatum('33 (fetch_success)', 'Wed Mar 04 05:06:07 UTC 2026', '\tContent-Type=text/html\n')}
Crawl Parse::
Version: 7
Status: 65 (signature)
Fetch time: Thu Jan 01 00:00:00 UTC 1970
Modified time: Thu Jan 01 00:00:00 UTC 1970
Retries since fetch: 0
Retry interval: 0 seconds (0 days)
Score: 0.0
Signature: 00112233445566778899aabbccddeeff
Metadata: 
 
ParseData::
Version: 5
Status: success(1,0)
Title: Title of http://a.test/
Outlinks: 2
  outlink: toUrl: http://a.test/gz anchor: to http://a.test/gz
  outlink: toUrl: http://b.test/ anchor: to http://b.test/
Content Metadata: 
Parse Metadata: 

ParseText::
startstart
`

describe('readseg', () => {
  const newFolder = useTempFolders()
  let crawl: string
  before(async () => {
    crawl = newFolder()
    await crawledSegment(crawl, somePages)
  })

  it('--list prints the columns of Nutch', async () => {
    const { stdout, status } = await runCommand(['readseg', crawl, '--list'])
    expect(status).to.equal(0)
    expect(stdout).to.equal(
      'NAME\t\tGENERATED\tFETCHER START\t\tFETCHER END\t\tFETCHED\tPARSED\n20260304050607\t6\t\t2026-03-04T05:06:07\t2026-03-04T05:06:07\t6\t4\n',
    )
  })

  it('--list knows what is not there, and the time zone', async () => {
    const other = newFolder()
    await crawledSegment(other, [])
    const { stdout } = await runCommand(['readseg', other, '--list', '--time-zone', 'Asia/Shanghai'])
    expect(stdout.split('\n')[1]).to.equal('20260304050607\t0\t\t?\t\t?\t0\t0')
    const east = await runCommand(['readseg', crawl, '--list', '--time-zone', 'Asia/Shanghai'])
    expect(east.stdout).to.include('2026-03-04T13:06:07')
  })

  it('--get prints what is held of a URL as Nutch does, before and after the seal', async () => {
    const sealed = newFolder()
    const segment = await crawledSegment(sealed, somePages)
    await sealSegment(segment, { nowMs: fetchTimeMs, findCaptures: indexWarc })
    for (const folder of [crawl, sealed]) {
      const { stdout, status } = await runCommand(['readseg', folder, '--get', 'http://a.test/'])
      expect(status).to.equal(0)
      expect(stdout).to.equal(startText)
    }
  })

  it('--get leaves parts out, finds nothing of other URLs, and takes the newest segment that has the URL', async () => {
    const parts = ['--no-content', '--no-generate', '--no-fetch', '--no-parse', '--no-parsedata']
    expect((await runCommand(['readseg', crawl, '--get', 'http://a.test/', ...parts])).stdout).to.equal('ParseText::\nstartstart\n')
    expect((await runCommand(['readseg', crawl, '--get', 'http://a.test/none'])).status).to.equal(1)
    const twice = newFolder()
    await crawledSegment(twice, somePages)
    const newer = await crawledSegment(twice, [{ url: 'http://a.test/', body: 'new', links: [] }], fetchTimeMs + 86_400_000)
    const { stdout } = await runCommand(['readseg', twice, '--get', 'http://a.test/', '--json'])
    expect(JSON.parse(stdout.slice(stdout.indexOf('\t')))).to.deep.include({ segment: newer.name, parse_text: 'new' })
    const { stdout: text } = await runCommand(['readseg', twice, '--get', 'http://a.test/gz', '--json', '--no-fetch'])
    expect(JSON.parse(text.slice(text.indexOf('\t')))).to.deep.include({ segment: '20260304050607', parse_text: 'packedpacked' })
  })

  it('--dump prints a block for each URL, in the order of URLs, numbered through', async () => {
    const { stdout } = await runCommand(['readseg', crawl, '--dump', '--no-content'])
    const heads = [...stdout.matchAll(/^Recno:: (\d+)\nURL:: (.*)\n$/gm)].map(([, number, url]) => `${number} ${url}`)
    expect(heads).to.deep.equal([...somePages.map(({ url }) => url)].sort().map((url, index) => `${index} ${url}`))
    expect(stdout).to.include(`\n\nRecno:: 1\nURL:: http://a.test/gz\n\nCrawlDatum::\n`)
    expect(stdout).to.include('\nParseText::\npackedpacked\n')
  })

  it('--dump prints links under their targets, and lines that jq reads', async () => {
    const { stdout } = await runCommand(['readseg', crawl, '--dump', '--format', 'json', '--no-content'])
    const lines = stdout.trimEnd().split('\n')
    const records = new Map(lines.map(line => [line.slice(0, line.indexOf('\t')), JSON.parse(line.slice(line.indexOf('\t')))]))
    expect(
      records.get('http://b.test/').crawl_parse.map(({ status, score }: { status: string; score: number }) => ({ status, score })),
    ).to.deep.equal([
      { status: 'linked', score: 0.5 },
      { status: 'signature', score: 0 },
    ])
    expect(records.get('http://b.test/moved')).to.have.all.keys('segment', 'crawl_generate', 'crawl_fetch')
  })

  it('--recode shows content in its own charset', async () => {
    const folder = newFolder()
    const body = Buffer.from('<p>Größe</p>', 'latin1')
    const responseHead = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=iso-8859-1\r\n\r\n')
    await crawledSegment(folder, [{ url: 'http://a.test/', body: '', exchange: { body, payload: body, responseHead } }])
    const get = ['readseg', folder, '--get', 'http://a.test/', '--no-fetch', '--no-generate']
    expect((await runCommand([...get, '--recode'])).stdout).to.include('<p>Größe</p>')
    expect((await runCommand(get)).stdout).to.include('<p>Gr\ufffd\ufffde</p>')
  })

  it('wants to know what to print', async () => {
    for (const args of [[], ['--list', '--dump']]) {
      const error = await runCommand(['readseg', crawl, ...args]).catch((thrown: unknown) => thrown)
      expect(error).to.include({ code: 'USAGE' })
    }
  })
})

describeCorpus('readseg --dump in the form of a dump of Nutch', folder => {
  it('is the same to the character', () => {
    const dump = readFileSync(join(folder, 'nutch', 'dumps', 'readseg-dump-2014.txt'), 'utf8')
    const url = storedUrl('http://www.szu.edu.cn/board/')
    const datum: CrawlDatum = { ...outcomeOf(url).datum, metadata: { _ngt_: '1401872401245' } }
    const fetched = outcomeOf(url, {
      status: 'fetch_gone',
      protocolStatus: 'robots_denied',
      timing: { startMs: Date.UTC(2014, 5, 4, 9, 0, 5), endMs: 0 },
      metadata: { _pst_: 'robots_denied(18), lastModified=0' },
    })
    const outcome = { ...fetched, datum: { ...fetched.datum, metadata: datum.metadata } }
    expect(outcomeDatum(outcome).fetchTimeMs).to.equal(Date.UTC(2014, 5, 4, 9, 0, 5))
    const records = { url, generated: [], fetched: [outcome], links: [], pages: [], parses: [], texts: [] }
    const form = { timeZone: 'Asia/Shanghai', isRecoded: false, defaultCharset: 'windows-1252' }
    expect(recordsToNutchDump(records, 0, form)).to.equal(dump)
  })
})
