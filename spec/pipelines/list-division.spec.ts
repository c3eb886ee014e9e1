import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { configWith } from '../../lib/config/resolve-config.js'
import { storedUrl } from '../../lib/record/url.js'
import { keyOfUrl, reversedHostOfKey } from '../../lib/record/url-key.js'
import { ListOrder } from '../../pipelines/list-order.js'
import { ListPartition, partitionIds } from '../../pipelines/list-partition.js'
import { ListPlacement } from '../../pipelines/list-placement.js'
import { useTempFolders } from '../support/temp-folder.js'

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
          const placement = new ListPlacement({ segments, topN, maxPerGroup: () => perHost, queueOf: reversedHostOfKey })
          const lists = Array.from({ length: segments }, (): string[] => [])
          for (const [index, { host, id }] of given.entries()) {
            const list = placement.place(`${host}\u0001${id}-${index}`, host)
            if (list !== undefined) lists[list]?.push(host)
            else for (const full of lists) expect(full.length >= topN || full.filter(other => other === host).length >= perHost).to.equal(true)
          }
          for (const list of lists) {
            expect(list.length).to.be.at.most(topN)
            for (const host of ['a', 'b', 'c']) expect(list.filter(other => other === host).length).to.be.at.most(perHost)
          }
        },
      ),
    )
  })
})

describe('ListPartition', () => {
  it('keeps together what belongs together, however keys come and whatever later answers for a host are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(30), { maxLength: 100 }), fc.integer({ min: 1, max: 7 }), async (hosts, count) => {
        const asked = new Map<string, number>()
        const partition = new ListPartition(configWith({ 'partition.url.mode': 'byIP' }), { lists: count }, async host => {
          asked.set(host, (asked.get(host) ?? 0) + 1)
          return `10.0.${asked.get(host)}.${Number(host.slice(1)) % 5}`
        })
        const listOfId = new Map<number, number>()
        for (const host of hosts) {
          const [list = -1] = await partition.listsOf([`h${host}\u0001p`])
          expect(list).to.be.within(0, count - 1)
          expect(listOfId.get(host % 5) ?? list).to.equal(list)
          listOfId.set(host % 5, list)
        }
        expect([...asked.values()].every(times => times === 1)).to.equal(true)
      }),
    )
  })
})

describe('ListOrder', () => {
  const newFolder = useTempFolders()

  it('gives the first of each host, then the second of each, in the order given', async () => {
    const keyOf = (url: string): string => keyOfUrl(storedUrl(url))
    const given = ['http://a/1', 'http://a/2', 'http://b/1', 'http://a/3', 'http://c/1', 'http://b/2'].map(keyOf)
    const wanted = ['http://a/1', 'http://b/1', 'http://c/1', 'http://a/2', 'http://b/2', 'http://a/3'].map(keyOf)
    const order = new ListOrder({ spillFolder: join(newFolder(), 'order'), memoryBytes: 1e6 })
    await order.add(given.map(key => ({ key, list: 0 })))
    const parts = []
    for await (const part of order.parts(100)) parts.push(part)
    expect(parts).to.deep.equal([{ list: 0, keys: wanted }])
  })

  it('gives list after list, of each the first key of each host, then the second, in the order of adding', async () => {
    const selected = fc.array(fc.record({ host: fc.constantFrom('a', 'b', 'c'), list: fc.integer({ min: 0, max: 300 }) }), { maxLength: 80 })
    const folder = newFolder()
    await fc.assert(
      fc.asyncProperty(selected, fc.integer({ min: 1, max: 9 }), fc.constantFrom(0, 1e6), async (given, perPart, memoryBytes) => {
        const keys = given.map(({ host, list }, index) => ({ key: `${host}\u0001${index}`, list: list > 3 ? list : list % 2 }))
        const order = new ListOrder({ spillFolder: join(folder, 'order'), memoryBytes })
        for (let start = 0; start < keys.length; start += 7) await order.add(keys.slice(start, start + 7))
        const found: { list: number; key: string }[] = []
        for await (const part of order.parts(perPart)) found.push(...part.keys.map(key => ({ list: part.list, key })))
        await order.dispose()
        expect(found).to.deep.equal(byDefinition(keys))
      }),
      { numRuns: 60 },
    )
  })

  function byDefinition(keys: readonly { readonly key: string; readonly list: number }[]): { list: number; key: string }[] {
    const rankOf = (at: number): number => keys.slice(0, at).filter(({ key, list }) => key[0] === keys[at]?.key[0] && list === keys[at]?.list).length
    const ranked = keys.map(({ key, list }, index) => ({ key, list, rank: rankOf(index), index }))
    return ranked.sort((a, b) => a.list - b.list || a.rank - b.rank || a.index - b.index).map(({ key, list }) => ({ list, key }))
  }
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
