import { copyFile, mkdir, readdir, readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { readCommittedUrls } from '../../lib/segment/committed-urls.js'
import { parts } from '../../lib/segment/part-names.js'
import { Segment } from '../../lib/segment/segment.js'
import { SegmentWriter } from '../../lib/segment/segment-writer.js'
import { ContentReader } from '../../lib/warc/content-reader.js'
import { encodeExchange } from '../../lib/warc/encode-exchange.js'
import { collect, exchangeOf, outcomeOf, withFolder, withSegment, writerOptions } from './segment-fixtures.js'

const urls = ['http://a.test/1', 'http://a.test/2', 'http://b.test/3', 'http://c.test/ü?q=1', 'http://a.test/5']

async function fetchInto(segment: Segment, pages: readonly string[], options = writerOptions): Promise<void> {
  const writer = await SegmentWriter.open(segment, options)
  for (const url of pages) {
    const hasAnswer = !url.endsWith('/2')
    const outcome = hasAnswer ? outcomeOf(url) : outcomeOf(url, { status: 'fetch_retry', protocolStatus: 'exception', cause: 'no answer' })
    await writer.append(hasAnswer ? encodeExchange(exchangeOf(url)) : undefined, outcome)
  }
  await writer.close()
}

/** The payload of each outcome that has content, by URL, read through its reference. */
async function readBack(segment: Segment): Promise<Record<string, string>> {
  const reader = new ContentReader(segment.folder)
  const payloads: Record<string, string> = {}
  for (const outcome of await collect(segment.readOutcomes()))
    payloads[outcome.url] = outcome.content === undefined ? '' : Buffer.from((await reader.read(outcome.content)).payload).toString()
  await reader.close()
  return payloads
}

const expected = (pages: readonly string[]): Record<string, string> =>
  Object.fromEntries(pages.map(url => [url, url.endsWith('/2') ? '' : `<p>${url}</p>`]))

describe('SegmentWriter', () => {
  it('commits pages that come one by one or at once, each readable through its reference', () =>
    withSegment(async segment => {
      const writer = await SegmentWriter.open(segment, writerOptions)
      const outcomes = await Promise.all(urls.map(url => writer.append(encodeExchange(exchangeOf(url)), outcomeOf(url))))
      await writer.finish({ outcomes: urls.length })
      await writer.close() // a second close does nothing
      expect(outcomes.map(outcome => outcome.content?.file)).to.deep.equal(urls.map(() => 'content-00000.warc.gz'))
      const read = await collect(segment.readOutcomes())
      expect(read.map(({ content }) => content)).to.deep.equal(outcomes.map(({ content }) => content))
      expect(await readBack(segment)).to.deep.equal(Object.fromEntries(urls.map(url => [url, `<p>${url}</p>`])))
      expect(await segment.state()).to.equal('fetched')
    }))

  it('begins a new content file at the size, and gives a page larger than it a file of its own', () =>
    withSegment(async segment => {
      const sizes = { ...writerOptions, warcFileBytes: 1500 }
      const writer = await SegmentWriter.open(segment, sizes)
      const noise = Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * index * 7919) % 251))
      const bodies = ['small', noise, 'small again']
      const stored = await Promise.all(
        bodies.map((body, index) => writer.append(encodeExchange(exchangeOf(`http://a.test/${index}`, body)), outcomeOf(`http://a.test/${index}`))),
      )
      await writer.close()
      expect(stored.map(({ content }) => content?.file)).to.deep.equal([0, 1, 2].map(number => `content-0000${number}.warc.gz`))
    }))

  it('refuses to fetch a fetched segment again', () =>
    withSegment(async segment => {
      await (await SegmentWriter.open(segment, writerOptions)).finish({ outcomes: 0 })
      const error = await SegmentWriter.open(segment, writerOptions).catch((thrown: unknown) => thrown)
      expect(error).to.include({ code: 'SEGMENT_STATE' })
    }))

  it('goes on in a new file and keeps what was committed before', () =>
    withSegment(async segment => {
      await fetchInto(segment, urls.slice(0, 3))
      await fetchInto(segment, urls.slice(3))
      expect(await segment.warcNames()).to.deep.equal(['content-00000.warc.gz', 'content-00001.warc.gz'])
      expect(await readBack(segment)).to.deep.equal(expected(urls))
    }))
})

/** A segment's files as they would stand had the last writes been lost: `cut` bytes off the end of one file. */
async function copyCut(from: Segment, folder: string, name: string, keepBytes: number): Promise<Segment> {
  const target = join(folder, `${name}-${keepBytes}`)
  await mkdir(target, { recursive: true })
  for (const file of await readdir(from.folder)) await copyFile(from.pathOf(file), join(target, file))
  await truncate(join(target, name), keepBytes)
  return Segment.open(target)
}

describe('SegmentWriter after a kill', () => {
  for (const name of [parts.outcomes, 'content-00000.warc.gz', 'content.cdxj.log'])
    it(`resumes from ${name} cut at any byte without losing a page that was committed`, function resumeAtEachByte() {
      this.timeout(60_000)
      return withSegment(segment =>
        withFolder(async folder => {
          await fetchInto(segment, urls)
          const bytes = await readFile(segment.pathOf(name))
          const step = name === parts.outcomes ? 37 : 43
          for (let keepBytes = 0; keepBytes < bytes.length; keepBytes += step) {
            const cut = await copyCut(segment, folder, name, keepBytes)
            const writer = await SegmentWriter.open(cut, writerOptions)
            const kept = await readCommittedUrls(cut)
            const wholeLines = name === parts.outcomes ? bytes.subarray(0, keepBytes).toString().split('\n').length - 1 : urls.length
            if (name !== 'content-00000.warc.gz') expect(kept.size, `cut at ${keepBytes}`).to.equal(wholeLines)
            const missing = urls.filter(url => !kept.has(url))
            for (const url of missing) {
              const encoded = url.endsWith('/2') ? undefined : encodeExchange(exchangeOf(url))
              await writer.append(encoded, outcomeOf(url))
            }
            await writer.close()
            expect(await readBack(cut), `cut at ${keepBytes}`).to.deep.equal(expected(urls))
          }
        }),
      )
    })
})
