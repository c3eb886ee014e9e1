import { expect } from 'chai'
import fc from 'fast-check'
import { configWith } from '../../lib/config/resolve-config.js'
import { storedUrl } from '../../lib/record/url.js'
import { keyOfUrl, reversedHostOfKey } from '../../lib/record/url-key.js'
import { partitionIds, splitByPartition } from '../../pipelines/list-partition.js'
import { ListPlacement } from '../../pipelines/list-placement.js'

describe('ListPlacement', () => {
  it('never exceeds a limit, and gives a key at most one place', () => {
    const keys = fc.array(fc.record({ host: fc.constantFrom('a', 'b', 'c'), id: fc.nat(1000) }), { maxLength: 60 })
    fc.assert(
      fc.property(
        keys,
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 5 }),
        (given, segments, topN, perHost) => {
          const placement = new ListPlacement({ segments, topN, maxPerGroup: () => perHost })
          const placed = given.filter(({ host, id }, index) => placement.place(`${host}\u0001${id}-${index}`, host, host))
          const lists = placement.lists()
          expect(lists.length).to.be.at.most(segments)
          expect(lists.flat().length).to.equal(placed.length)
          for (const list of lists) {
            expect(list.length).to.be.at.most(topN)
            for (const host of ['a', 'b', 'c']) expect(list.filter(key => reversedHostOfKey(key) === host).length).to.be.at.most(perHost)
          }
        },
      ),
    )
  })
})

describe('splitByPartition', () => {
  it('loses nothing and keeps together what belongs together', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(30), { maxLength: 100 }), fc.integer({ min: 1, max: 7 }), (hosts, count) => {
        const keys = hosts.map((host, index) => `h${host}\u0001${index}`)
        const ids = new Map(hosts.map(host => [`h${host}`, `10.0.0.${host % 5}`]))
        const lists = splitByPartition(keys, ids, count)
        expect(lists.flat()).to.have.members(keys)
        const listOfId = new Map<string, number>()
        for (const [index, list] of lists.entries()) {
          for (const key of list) {
            const id = ids.get(reversedHostOfKey(key)) ?? ''
            expect(listOfId.get(id) ?? index).to.equal(index)
            listOfId.set(id, index)
          }
        }
      }),
    )
  })
})

describe('partitionIds', () => {
  const keys = ['http://a.example/1', 'http://a.example/2', 'http://www.b.example/', 'http://127.0.0.1/', 'http://lost.example/'].map(url =>
    keyOfUrl(storedUrl(url)),
  )
  const addresses: Readonly<Record<string, string>> = { 'a.example': '10.0.0.1', 'www.b.example': '10.0.0.1' }
  for (const { properties, ids } of [
    { properties: {}, ids: ['a.example', 'www.b.example', '127.0.0.1', 'lost.example'] },
    { properties: { 'partition.url.mode': 'byDomain' }, ids: ['a.example', 'b.example', '127.0.0.1', 'lost.example'] },
    { properties: { 'fetcher.queue.mode': 'byDomain' }, ids: ['a.example', 'b.example', '127.0.0.1', 'lost.example'] },
    { properties: { 'partition.url.mode': 'byIP' }, ids: ['10.0.0.1', '10.0.0.1', '127.0.0.1', 'lost.example'] },
    { properties: { 'fetcher.queue.mode': 'byIP' }, ids: ['10.0.0.1', '10.0.0.1', '127.0.0.1', 'lost.example'] },
  ]) {
    it(`keeps together by ${JSON.stringify(properties)}: ${ids.join(', ')}`, async () => {
      const asked: string[] = []
      const found = await partitionIds(keys, configWith(properties), async host => {
        asked.push(host)
        return addresses[host]
      })
      expect([...new Set(keys.map(reversedHostOfKey))].map(reversed => found.get(reversed))).to.deep.equal(ids)
      expect(new Set(asked).size).to.equal(asked.length)
    })
  }
})
