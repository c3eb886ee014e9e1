import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ClassicLevel } from 'classic-level'
import { promoteDue } from '../../lib/crawldb/promote.js'
import { type Finding, verifyCrawlDb } from '../../lib/crawldb/verify.js'
import { dbDatum } from '../support/db-datum.js'
import { useTempFolders } from '../support/temp-folder.js'
import { putRecords, withTestDb } from '../support/test-db.js'

type Entry = readonly [key: Buffer, value: Buffer]

describe('readdb --verify', () => {
  const newFolder = useTempFolders()
  let sound: string
  let entries: readonly Entry[]

  before(async () => {
    sound = newFolder()
    await withTestDb(sound, async crawlDb => {
      const records = Array.from({ length: 24 }, (_, index) =>
        dbDatum({
          url: `http://h${index % 3}.example/${index}`,
          score: index / 7,
          fetchTimeMs: index % 2 === 0 ? 5 : 5000,
          status: index % 5 === 0 ? 'db_fetched' : 'db_unfetched',
          ...(index % 5 === 0 ? { signature: Uint8Array.of(index % 2, 7), metadata: { a: 'b' } } : {}),
        }),
      )
      await putRecords(crawlDb, records)
      await promoteDue(crawlDb, 10)
    })
    const level = new ClassicLevel<Buffer, Buffer>(join(sound, 'crawldb'), { keyEncoding: 'buffer', valueEncoding: 'buffer' })
    entries = await level.iterator().all()
    await level.close()
  })

  async function findings(change?: (level: ClassicLevel<Buffer, Buffer>) => Promise<unknown>): Promise<Finding[]> {
    const folder = newFolder()
    cpSync(sound, folder, { recursive: true })
    if (change !== undefined) {
      const level = new ClassicLevel<Buffer, Buffer>(join(folder, 'crawldb'), { keyEncoding: 'buffer', valueEncoding: 'buffer' })
      await level.open()
      await change(level)
      await level.close()
    }
    return withTestDb(folder, async crawlDb => {
      const found: Finding[] = []
      for await (const finding of verifyCrawlDb(crawlDb)) found.push(finding)
      return found
    })
  }

  const ofTable = (...names: string[]): readonly Entry[] =>
    entries.filter(([key]) => names.some(name => key.toString('latin1').startsWith(`!${name}!`)))

  it('finds nothing in a sound db, which has entries in every table', async () => {
    for (const name of ['datum', 'wait', 'due', 'heads', 'headof', 'signature']) expect(ofTable(name), name).to.not.be.empty
    expect(await findings()).to.deep.equal([])
  })

  it('finds each single entry that is missing', async () => {
    for (const [key] of ofTable('datum', 'wait', 'due', 'heads', 'headof', 'signature')) {
      expect(await findings(level => level.del(key)), key.toString('latin1')).to.not.be.empty
    }
  })

  it('finds an entry that is one too many, in every table', async () => {
    for (const name of ['wait', 'due', 'heads', 'headof', 'signature']) {
      const [key, value] = ofTable(name)[0] as Entry
      const more = Buffer.concat([key, Buffer.from(name === 'headof' || name === 'heads' ? '\u0002zz' : 'zz')])
      expect(await findings(level => level.put(more, value)), name).to.not.be.empty
    }
  })

  it('finds an entry that is at the wrong place', async () => {
    for (const name of ['wait', 'due', 'heads', 'signature']) {
      const [key, value] = ofTable(name)[0] as Entry
      const moved = Buffer.from(key)
      const at = moved.length - 1
      moved[at] = (moved[at] as number) ^ 1
      expect(await findings(level => level.batch().del(key).put(moved, value).write()), name).to.not.be.empty
    }
  })

  it('finds every byte of a record that is flipped', async () => {
    const [key, value] = ofTable('datum').find(([, bytes]) => bytes.includes('{')) as Entry
    for (let at = 0; at < value.length; at++) {
      const flipped = Buffer.from(value)
      flipped[at] = (flipped[at] as number) ^ (1 << (at % 8))
      const found = await findings(level => level.put(key, flipped))
      expect(found, `byte ${at}`).to.not.be.empty
      expect(found[0]?.url, `byte ${at}`).to.be.a('string')
    }
  })

  it('finds a record that stands under the key of another', async () => {
    const [first, second] = ofTable('datum') as [Entry, Entry]
    expect(await findings(level => level.put(first[0], second[1]))).to.not.be.empty
  })

  it('finds counts that are wrong', async () => {
    const [key, value] = entries.find(([name]) => name.toString() === '!meta!state') as Entry
    const wrong = value.toString().replace(/"db_unfetched":(\d+)/, (_, count: string) => `"db_unfetched":${Number(count) + 1}`)
    const found = await findings(level => level.put(key, Buffer.from(wrong)))
    expect(found.map(({ table }) => table)).to.deep.equal(['meta'])
  })

  it('finds an entry that belongs to no table', async () => {
    for (const stray of ['!a', '!datun!x', '!zzz!', 'x'])
      expect(await findings(level => level.put(Buffer.from(stray), Buffer.from('1'))), stray).to.not.be.empty
  })

  it('finds a ledger entry that does not read', async () => {
    expect(await findings(level => level.put(Buffer.from('!applied!20260101000000'), Buffer.from('{"timeMs"')))).to.not.be.empty
  })
})
