import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { listSegments, type Segment } from '../../../lib/segment/segment.js'
import { readCaptureGroups } from '../../../lib/warc/capture-groups.js'
import { ContentReader } from '../../../lib/warc/content-reader.js'
import { fieldValue } from '../../../lib/warc/http-head.js'
import { collect } from '../../segment/segment-fixtures.js'
import { describeCorpus } from '../../support/corpus.js'
import { runCommand } from '../../support/run-command.js'
import { useTempFolders } from '../../support/temp-folder.js'
import { witnessCdxj, witnessRecords } from '../../warc/warc-witness.js'
import { crawledSegment, somePages } from './crawled-segment.js'

interface PageFacts {
  readonly status: string
  readonly head: string
  readonly body: string
  readonly payload: string
  readonly truncated: string | undefined
}

/** What can be read of each fetched page of a segment. */
async function pagesOf(segment: Segment): Promise<Record<string, PageFacts>> {
  const reader = new ContentReader(segment.folder)
  const pages: Record<string, PageFacts> = {}
  for (const { url, status, content, truncated } of await collect(segment.readOutcomes())) {
    if (content === undefined) throw new Error(`${url} has no content`)
    const { head, body, payload } = await reader.read(content)
    const [headText, bodyText, payloadText] = [head, body, payload].map(bytes => Buffer.from(bytes).toString('base64'))
    pages[url] = { status, head: headText ?? '', body: bodyText ?? '', payload: payloadText ?? '', truncated }
  }
  await reader.close()
  return pages
}

async function exportedUrls(folder: string): Promise<string[]> {
  const urls: string[] = []
  for (const name of readdirSync(folder)
    .filter(file => file.endsWith('.warc.gz'))
    .sort())
    for await (const { capture } of readCaptureGroups(join(folder, name))) urls.push(capture.uri)
  return urls
}

describe('export and import', () => {
  const newFolder = useTempFolders()

  it('make the same segment again: statuses, heads, bodies as received, truncation', async () => {
    const [crawl, again] = [newFolder(), newFolder()]
    const segment = await crawledSegment(crawl, somePages)
    const out = join(crawl, 'export')
    const exported = await runCommand(['warc', crawl, '--out', out, '--host', 'host'])
    expect(exported.status).to.equal(0)
    const file = exported.json<{ file: string; records: number }>()
    expect(file).to.include({ file: join(out, 'millrace-20260131000000-00000-host.warc.gz'), records: 1 + 2 * somePages.length })
    const imported = await runCommand(['import', again, '--warc', file.file])
    expect(imported.json()).to.deep.equal({ segment: '20260131000000', pages: somePages.length })
    const [copy] = await listSegments(join(again, 'segments'))
    if (copy === undefined) throw new Error('import made a segment')
    expect(await pagesOf(copy)).to.deep.equal(await pagesOf(segment))
    expect(await copy.state()).to.equal('fetched')
    expect((await collect(copy.readFetchList())).map(({ url }) => url)).to.deep.equal(somePages.map(({ url }) => url))
    const redirect = (await collect(copy.readOutcomes())).find(({ status }) => status === 'fetch_redir_perm')?.redirect
    expect(redirect).to.deep.equal({ to: 'http://b.test/', target: 'http://b.test/', kind: 'perm', via: 'location' })
  })

  it('give files that warcio reads and indexes as our CDXJ says', async () => {
    const crawl = newFolder()
    await crawledSegment(crawl, somePages)
    const out = join(crawl, 'export')
    await runCommand(['warc', crawl, '--out', out, '--host', 'host', '--prefix', 'P', '--max-file-bytes', '2500'])
    const names = readdirSync(out).sort()
    const files = names.filter(name => name.endsWith('.warc.gz'))
    expect(files.length).to.be.above(1)
    expect(files).to.deep.equal(files.map((_, index) => `P-20260131000000-0000${index}-host.warc.gz`))
    const witnessed: string[] = []
    for (const name of files) {
      for (const { type, fields } of await witnessRecords(readFileSync(join(out, name))))
        if (type === 'warcinfo') expect(fields['WARC-Filename']).to.equal(name)
      for (const line of await witnessCdxj(join(out, name))) witnessed.push(`${line.urlkey} ${line.timestamp} ${line.offset} ${line.length} ${name}`)
    }
    const ours = readFileSync(join(out, 'P-20260131000000.cdxj'), 'utf8').trimEnd().split('\n')
    expect(ours).to.deep.equal([...ours].sort())
    const read = ours.map(line => {
      const [key, timestamp] = line.split(' ')
      const { offset, length, filename } = JSON.parse(line.slice(line.indexOf('{'))) as Record<string, string>
      return `${key} ${timestamp} ${offset} ${length} ${filename}`
    })
    expect(read).to.have.members(witnessed)
  })

  for (const [args, wanted] of [
    [['--status', '404'], ['http://b.test/none']],
    [
      ['--status', '3xx', '--status', '404'],
      ['http://b.test/moved', 'http://b.test/none'],
    ],
    [['--type', 'text/plain'], ['http://b.test/']],
    [
      ['--type', 'text/*', '--url', '^http://a\\.'],
      ['http://a.test/', 'http://a.test/gz'],
    ],
  ] as const)
    it(`export what ${args.join(' ')} chooses`, async () => {
      const crawl = newFolder()
      await crawledSegment(crawl, somePages)
      await runCommand(['warc', crawl, '--out', join(crawl, 'export'), ...args])
      expect(await exportedUrls(join(crawl, 'export'))).to.deep.equal(wanted)
    })

  it('export what repeats an earlier capture as a revisit of it, and take it back as not modified', async () => {
    const [crawl, again] = [newFolder(), newFolder()]
    const [url, packed] = ['http://a.test/', 'http://a.test/gz']
    const days = ['same', 'same', 'other', 'same']
    for (const [day, body] of days.entries()) {
      const truncated = { url: packed, body, exchange: { truncated: 'length' as const } }
      await crawledSegment(crawl, [{ url, body }, truncated], Date.UTC(2026, 0, 1 + day))
    }
    const { file } = (await runCommand(['warc', crawl, '--out', join(crawl, 'export'), '--revisits'])).json<{ file: string }>()
    const captures = (await witnessRecords(readFileSync(file))).filter(({ type }) => type === 'response' || type === 'revisit')
    expect(captures.filter(({ uri }) => uri === packed).map(({ type }) => type)).to.deep.equal(days.map(() => 'response'))
    const own = captures.filter(({ uri }) => uri === url)
    expect(own.map(({ type }) => type)).to.deep.equal(['response', 'revisit', 'response', 'revisit'])
    const [first, ...others] = own
    for (const { fields, status, payload } of others.filter(({ type }) => type === 'revisit')) {
      expect({ status, length: payload.length }).to.deep.equal({ status: 200, length: 0 })
      expect(fields).to.include({
        'WARC-Profile': 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest',
        'WARC-Refers-To-Target-URI': url,
        'WARC-Refers-To-Date': '2026-01-01T00:00:00Z',
        'WARC-Payload-Digest': first?.fields['WARC-Payload-Digest'] ?? '',
      })
    }
    expect((await runCommand(['warc', '--check', file])).status).to.equal(0)
    await runCommand(['import', again, '--all-captures', '--warc', file])
    const statuses = []
    for (const segment of await listSegments(join(again, 'segments')))
      for (const outcome of await collect(segment.readOutcomes())) if (outcome.url === url) statuses.push(outcome.status)
    expect(statuses).to.deep.equal(['fetch_success', 'fetch_notmodified', 'fetch_success', 'fetch_notmodified'])
  })

  it('write no file where nothing is chosen', async () => {
    const crawl = newFolder()
    await crawledSegment(crawl, somePages)
    const { status, stdout } = await runCommand(['warc', crawl, '--out', join(crawl, 'export'), '--status', '500'])
    expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '' })
  })

  it('export texts as conversion records that refer to their responses', async () => {
    const crawl = newFolder()
    const segment = await crawledSegment(crawl, somePages)
    const { file } = (await runCommand(['warc', crawl, '--out', join(crawl, 'export'), '--text', '--type', 'text/html'])).json<{ file: string }>()
    expect(file).to.match(/\.warc\.wet\.gz$/)
    const [info, ...texts] = await witnessRecords(readFileSync(file))
    expect(info?.type).to.equal('warcinfo')
    const responses = await witnessRecords(readFileSync(segment.pathOf('content-00000.warc.gz')))
    const idOf = (url: string): string | undefined => responses.find(({ type, uri }) => type === 'response' && uri === url)?.fields['WARC-Record-ID']
    expect(
      texts.map(({ type, uri, fields, payload }) => ({ type, uri, text: payload.toString(), refersTo: fields['WARC-Refers-To'] })),
    ).to.deep.equal([
      { type: 'conversion', uri: 'http://a.test/', text: 'startstart', refersTo: idOf('http://a.test/') },
      { type: 'conversion', uri: 'http://a.test/gz', text: 'packedpacked', refersTo: idOf('http://a.test/gz') },
      { type: 'conversion', uri: 'http://b.test/cut', text: 'cutcut', refersTo: idOf('http://b.test/cut') },
    ])
  })

  it('take the newest capture with a body, or each into a segment of its own', async () => {
    const [crawl, newest, all] = [newFolder(), newFolder(), newFolder()]
    const url = 'http://a.test/'
    await crawledSegment(crawl, [{ url, body: 'first' }], Date.UTC(2026, 0, 1))
    await crawledSegment(crawl, [{ url, body: 'second' }], Date.UTC(2026, 0, 2))
    const revisitOf = { url, dateMs: Date.UTC(2026, 0, 2) }
    await crawledSegment(crawl, [{ url, body: 'second', encode: { revisitOf } }], Date.UTC(2026, 0, 3))
    const { file } = (await runCommand(['warc', crawl, '--out', join(crawl, 'export')])).json<{ file: string }>()
    await runCommand(['import', newest, '--warc', file])
    const [only, ...more] = await listSegments(join(newest, 'segments'))
    expect(more).to.deep.equal([])
    if (only === undefined) throw new Error('import made a segment')
    expect(Buffer.from((await pagesOf(only))[url]?.payload ?? '', 'base64').toString()).to.equal('second')
    await runCommand(['import', all, '--all-captures', '--warc', file])
    const segments = await listSegments(join(all, 'segments'))
    const statuses = await Promise.all(segments.map(async segment => (await collect(segment.readOutcomes())).map(({ status }) => status)))
    expect(statuses).to.deep.equal([['fetch_success'], ['fetch_success'], ['fetch_notmodified']])
  })
})

describeCorpus('import of WARC files made elsewhere', folder => {
  const newFolder = useTempFolders()
  const files = join(folder, 'warc', 'files')

  it('takes malformed files for what is in them, and parse and updatedb run on the segment', async () => {
    const crawl = newFolder()
    const names = readdirSync(files).filter(name => name.includes('.warc'))
    const imported = await runCommand(['import', crawl, '--rules', acceptAll(newFolder), '--warc', ...names.map(name => join(files, name))])
    expect(imported.status).to.equal(0)
    expect((await runCommand(['parse', crawl, '--workers', '0'])).status).to.equal(0)
    expect((await runCommand(['updatedb', crawl])).status).to.equal(0)
    const { stdout } = await runCommand(['readdb', crawl, '--url', 'http://commoncrawl.org/'])
    expect(stdout).to.match(/^Status: 2 \(db_fetched\)$/m)
  })

  it('takes ARC files, whose records become those of a WARC file', async () => {
    const crawl = newFolder()
    await runCommand(['import', crawl, '--warc', join(files, 'warcio-example.arc.gz')])
    const [segment] = await listSegments(join(crawl, 'segments'))
    if (segment === undefined) throw new Error('import made a segment')
    const [outcome] = await collect(segment.readOutcomes())
    expect(outcome).to.deep.include({ url: 'http://example.com/', status: 'fetch_success', httpStatus: 200, address: '93.184.216.119' })
    expect(outcome?.timing.startMs).to.equal(Date.UTC(2014, 1, 16, 5, 2, 21))
    const [, record, ...more] = await witnessRecords(readFileSync(segment.pathOf('content-00000.warc.gz')))
    expect(more).to.deep.equal([])
    expect(record).to.include({ type: 'response', uri: 'http://example.com/', status: 200 })
    expect(record?.fields['WARC-Date']).to.equal('2014-02-16T05:02:21Z')
    expect(record?.payload.length).to.equal(1270)
  })

  it('keeps what is there of a record that is cut off, as truncated', async () => {
    const crawl = newFolder()
    await runCommand(['import', crawl, '--warc', join(files, 'own-length-too-big.warc')])
    const [segment] = await listSegments(join(crawl, 'segments'))
    if (segment === undefined) throw new Error('import made a segment')
    const [outcome] = await collect(segment.readOutcomes())
    expect(outcome).to.include({ url: 'http://example.com/', status: 'fetch_success', truncated: 'disconnect' })
    if (outcome?.content === undefined) throw new Error('it has content')
    const reader = new ContentReader(segment.folder)
    const { payload, fields } = await reader.read(outcome.content)
    await reader.close()
    expect(Buffer.from(payload).toString()).to.equal('<p>hello</p>\r\n\r\n')
    expect(fieldValue(fields, 'content-type')).to.equal('text/html')
  })
})

function acceptAll(newFolder: () => string): string {
  const path = join(newFolder(), 'rules.txt')
  writeFileSync(path, '+.\n')
  return path
}
