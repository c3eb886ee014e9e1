import { readdir } from 'node:fs/promises'
import { expect } from 'chai'
import { openFetchListSource } from '../../lib/segment/fetch-list-source.js'
import { FetchListWriter } from '../../lib/segment/fetch-list-writer.js'
import type { Segment } from '../../lib/segment/segment.js'
import { UrlSet } from '../../lib/segment/url-set.js'
import { collect, itemOf, withSegment } from './segment-fixtures.js'

async function writeList(segment: Segment, items: readonly ReturnType<typeof itemOf>[]): Promise<void> {
  const list = await FetchListWriter.open(segment)
  await list.write(items)
  await list.commit()
}

const items = [
  itemOf('http://a.test/1'),
  itemOf('http://b.test/1'),
  itemOf('http://a.test/ü'),
  itemOf('http://c.test/1', 'queue "of" c\\d'),
  itemOf('http://a.test/3'),
]

describe('FetchListWriter', () => {
  it('puts a list in place when it is whole', () =>
    withSegment(async segment => {
      const list = await FetchListWriter.open(segment)
      await list.write(items.slice(0, 2))
      await list.write(items.slice(2))
      expect(await segment.state()).to.equal('empty')
      expect(await list.commit()).to.equal(5)
      expect(await segment.state()).to.equal('generated')
      expect(await collect(segment.readFetchList())).to.deep.equal(items)
    }))

  it('leaves nothing when it is discarded', () =>
    withSegment(async segment => {
      const list = await FetchListWriter.open(segment)
      await list.write(items)
      await list.discard()
      expect(await readdir(segment.folder)).to.deep.equal([])
    }))
})

describe('openFetchListSource', () => {
  it('gives the queues in list order, and their items in theirs', () =>
    withSegment(async segment => {
      await writeList(segment, items)
      const source = await openFetchListSource(segment)
      expect(source.remaining).to.equal(5)
      expect(await source.nextQueues(2)).to.deep.equal(['a.test', 'b.test'])
      expect(await source.nextQueues(2)).to.deep.equal(['queue "of" c\\d'])
      expect(await source.nextQueues(2)).to.deep.equal([])
      expect(await source.take('a.test', 2)).to.deep.equal([items[0], items[2]])
      expect(await source.take('a.test', 2)).to.deep.equal([items[4]])
      expect(await source.take('a.test', 2)).to.deep.equal([])
      expect(await source.take('queue "of" c\\d', 9)).to.deep.equal([items[3]])
      expect(await source.take('unknown', 9)).to.deep.equal([])
      expect(source.remaining).to.equal(1)
      await source.close()
    }))

  it('passes over what has an outcome, and queues that have nothing else', () =>
    withSegment(async segment => {
      await writeList(segment, items)
      const done = new UrlSet()
      for (const url of ['http://b.test/1', 'http://a.test/1']) done.add(url)
      const source = await openFetchListSource(segment, done)
      expect(await source.nextQueues(9)).to.deep.equal(['a.test', 'queue "of" c\\d'])
      expect(await source.take('a.test', 9)).to.deep.equal([items[2], items[4]])
      await source.close()
    }))

  it('takes each of 40,000 items of 2,000 hosts once, in the memory of their places', function manyItems() {
    this.timeout(30_000)
    return withSegment(async segment => {
      const list = await FetchListWriter.open(segment)
      const count = 40_000
      for (let start = 0; start < count; start += 1000)
        await list.write(
          Array.from({ length: 1000 }, (_, index) =>
            itemOf(`http://h${(start + index) % 2000}.test/p/${start + index}`, `h${(start + index) % 2000}`),
          ),
        )
      await list.commit()
      const beforeBytes = await heldBytesNow()
      const source = await openFetchListSource(segment)
      const heldBytes = (await heldBytesNow()) - beforeBytes
      expect(heldBytes).to.be.below(5 * 1024 * 1024)
      const taken = new Set<string>()
      for (let queues = await source.nextQueues(1000); queues.length > 0; queues = await source.nextQueues(1000))
        for (const queue of queues) for (const { url, queueId } of await source.take(queue, 100)) if (queueId === queue) taken.add(url)
      expect(taken.size).to.equal(count)
      await source.close()
    })
  })
})

/** Memory that is in use once the garbage is gone. */
async function heldBytesNow(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    await new Promise(resolve => setImmediate(resolve))
    globalThis.gc?.()
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
