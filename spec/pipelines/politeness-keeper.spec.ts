import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { configWith } from '../../lib/config/resolve-config.js'
import type { QueuePoliteness } from '../../lib/fetch/politeness.js'
import { ManualClock } from '../../lib/log/clock.js'
import { readPoliteness, restorePoliteness, type StoredPoliteness } from '../../pipelines/politeness-file.js'
import { PolitenessKeeper } from '../../pipelines/politeness-keeper.js'
import { specJob } from '../support/job-fixture.js'
import { useTempFolders } from '../support/temp-folder.js'

const queue: QueuePoliteness = { nextMs: 105_000, delayMs: 5000, source: 'option', failures: 0, throttleMs: 0, isSerial: false }
const { fetch: config } = configWith({ 'fetcher.server.delay': 5 })

describe('politeness kept from one run to the next', () => {
  for (const { why, stored = {}, queue: kept = {}, nowMs, wallMs = nowMs, nextMs } of [
    { why: 'a queue that must wait still', nowMs: 102_000, nextMs: 105_000 },
    { why: 'a queue that may be asked', nowMs: 105_000, nextMs: undefined },
    { why: 'a queue that may be asked, after a kill', stored: { isRunning: true }, nowMs: 105_000, nextMs: 110_000 },
    {
      why: 'a Crawl-delay, after a kill',
      stored: { isRunning: true },
      queue: { delayMs: 20_000, source: 'crawl-delay', isSerial: true },
      nowMs: 105_000,
      nextMs: 125_000,
    },
    {
      why: 'Retry-After, after a kill: not begun anew',
      stored: { isRunning: true },
      queue: { nextMs: 700_000, delayMs: 600_000, source: 'retry-after' },
      nowMs: 102_000,
      nextMs: 700_000,
    },
    {
      why: 'Retry-After that is over, after a kill: the ordinary delay',
      stored: { isRunning: true },
      queue: { nextMs: 110_000, delayMs: 600_000, source: 'retry-after' },
      nowMs: 110_000,
      nextMs: 115_000,
    },
    { why: 'a clock that is set a day ahead: what it says', nowMs: 86_500_000, wallMs: 101_000, nextMs: undefined },
    { why: 'a clock that begins at the same time again: what the machine says', nowMs: 100_000, wallMs: 103_000, nextMs: 102_000 },
    { why: 'clocks that went back: no longer than the delay', nowMs: 20_000, nextMs: 25_000 },
    { why: 'failures that are not forgotten', queue: { failures: 2 }, nowMs: 205_000, nextMs: 105_000 },
    { why: 'failures that are forgotten', queue: { failures: 2 }, nowMs: 105_000 + 1_800_001, nextMs: undefined },
  ] as readonly {
    why: string
    stored?: Partial<StoredPoliteness>
    queue?: Partial<QueuePoliteness>
    nowMs: number
    wallMs?: number
    nextMs: number | undefined
  }[])
    it(`of ${why}`, () => {
      const given = { isRunning: false, clockMs: 100_000, wallMs: 100_000, queues: { a: { ...queue, ...kept } }, ...stored }
      expect(restorePoliteness(given, { nowMs, wallMs, config }).a?.nextMs).to.equal(nextMs)
    })
})

describe('the keeper of politeness', () => {
  const newFolder = useTempFolders()
  const open = (folder: string, wall = new ManualClock(50_000)) => PolitenessKeeper.open(specJob(folder, { 'fetcher.server.delay': 5 }), wall)
  const soon = (nowMs: number): QueuePoliteness => ({ ...queue, nextMs: nowMs + 5000 })
  const { nowMs } = { nowMs: specJob('.').clock.nowMs() }

  it('begins without anything, and hands on what stood at the end', async () => {
    const folder = newFolder()
    const first = await open(folder)
    expect(first).to.deep.include({ state: {}, notBeforeMs: undefined })
    await first.end({ a: soon(nowMs) })
    const second = await open(folder)
    expect(second).to.deep.include({ state: { a: soon(nowMs) }, notBeforeMs: undefined })
    await second.abandon()
    expect(readdirSync(folder)).to.deep.equal(['politeness.json'])
  })

  it('after a run that did not end asks no host before a whole delay has passed', async () => {
    const folder = newFolder()
    await (await open(folder)).abandon()
    expect(await open(folder)).to.deep.include({ state: {}, notBeforeMs: nowMs + 5000 })
  })

  for (const text of ['', '{"isRunning":fal', '{"isRunning":false}', '[]'])
    it(`takes a file that does not read for a run that did not end: ${text}`, async () => {
      const folder = newFolder()
      writeFileSync(join(folder, 'politeness.json'), text)
      expect(await open(folder)).to.deep.include({ state: {}, notBeforeMs: nowMs + 5000 })
    })

  it('writes what is learnt while the run goes on, and at once what a kill must not take away', async () => {
    const folder = newFolder()
    const keeper = await open(folder)
    let state: Record<string, QueuePoliteness> = { a: soon(nowMs) }
    keeper.watch(() => state)
    keeper.writeSoon()
    await untilNamed(folder, 'a')
    state = { b: soon(nowMs) }
    await untilNamed(folder, 'b')
    expect(JSON.parse(readFileSync(join(folder, 'politeness.json'), 'utf8'))).to.include({ isRunning: true })
    await keeper.end({})
    expect(JSON.parse(readFileSync(join(folder, 'politeness.json'), 'utf8'))).to.include({ isRunning: false })
  })

  it('keeps the queues of another run on the same folder', async () => {
    const folder = newFolder()
    const [first, second] = [await open(folder), await open(folder)]
    await first.end({ a: soon(nowMs) })
    await second.end({ b: soon(nowMs) })
    expect(Object.keys(await readPoliteness(folder)).sort()).to.deep.equal(['a', 'b'])
  })
})

async function untilNamed(folder: string, queueId: string): Promise<void> {
  while (!(queueId in (await readPoliteness(folder)))) await wait(5)
}
