import { expect } from 'chai'
import { storedUrl } from '../../lib/record/url.js'
import { encodeParse } from '../../lib/segment/encode-parse.js'
import { ParseWriter } from '../../lib/segment/parse-writer.js'
import { Segment } from '../../lib/segment/segment.js'
import { SegmentWriter } from '../../lib/segment/segment-writer.js'
import { dbDatum } from '../support/db-datum.js'
import { allRecords, putRecords, specJob, specTimeMs } from '../support/job-fixture.js'
import { runCommand } from '../support/run-command.js'
import { useTempFolders } from '../support/temp-folder.js'

describe('updatedb with URL rules of its own', () => {
  const newFolder = useTempFolders()
  const session = 'PHPSESSID=0123456789abcdef0123456789abcdef'

  /** A page that links to a picture, and to one page under two URLs; the db holds the page and a picture that was linked before. */
  async function prepared(): Promise<string> {
    const folder = newFolder()
    const context = specJob(folder)
    const page = dbDatum({ url: 'http://a.example/' })
    await putRecords(context, [page, dbDatum({ url: 'http://a.example/old.jpg' })])
    const segment = await Segment.create(context.folder.segments, specTimeMs)
    const fetched = await SegmentWriter.open(segment, { encodeWarcinfo: () => new Uint8Array(), syncs: 'never' })
    const timing = { startMs: specTimeMs, endMs: specTimeMs }
    await fetched.append(undefined, { url: page.url, status: 'fetch_success', protocolStatus: 'success', datum: page, timing, metadata: {} })
    await fetched.finish({ items: 1, timeMs: specTimeMs })
    const links = ['new.jpg', 'old.jpg', `p?${session}`, 'p'].map(path => ({
      from: page.url,
      to: storedUrl(`http://a.example/${path}`),
      anchor: '',
      score: 0.25,
      metadata: {},
    }))
    const parsed = await ParseWriter.open(segment, { syncs: 'never' })
    const robots = { noindex: false, nofollow: false, noarchive: false }
    const parse = {
      url: page.url,
      status: 'success',
      title: '',
      text: '',
      outlinks: [],
      metadata: {},
      robots,
      signature: Buffer.from('00ff', 'hex'),
    } as const
    await parsed.append(encodeParse(parse, links))
    await parsed.finish({ items: 1, timeMs: specTimeMs })
    return folder
  }

  for (const { args, urls } of [
    { args: [], urls: ['', 'old.jpg', 'new.jpg', `p?${session}`, 'p'] },
    { args: ['--normalize'], urls: ['', 'old.jpg', 'new.jpg', 'p'] },
    { args: ['--filter'], urls: ['', `p?${session}`, 'p'] },
    { args: ['--filter', '--normalize'], urls: ['', 'p'] },
  ]) {
    it(`${args.join(' ') || 'without any'}: ${urls.length} URLs`, async () => {
      const folder = await prepared()
      await runCommand(['updatedb', folder, ...args])
      const records = await allRecords(specJob(folder))
      expect([...records.keys()]).to.have.members(urls.map(path => `http://a.example/${path}`))
      if (args.includes('--normalize')) expect(records.get('http://a.example/p')?.score).to.equal(0.5)
    })
  }
})
