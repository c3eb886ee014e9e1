import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { configWith } from '../../lib/config/resolve-config.js'
import { ManualClock } from '../../lib/log/clock.js'
import { silentLogger } from '../../lib/log/logger.js'
import { storedUrl } from '../../lib/record/url.js'
import { Segment } from '../../lib/segment/segment.js'
import { dedup } from '../../pipelines/dedup.js'
import { generate } from '../../pipelines/generate.js'
import { injectInto } from '../../pipelines/inject.js'
import { createJobContext, withJobDb } from '../../pipelines/job.js'
import { updatedb } from '../../pipelines/updatedb.js'
import { copyOf, ModelCrawlDb, type ModelOutcome, type ModelOutcomeKind, type ModelRecord, type ModelSeed } from './model-crawldb.js'
import { type Crash, type Real, readList, recordsOf, run, withMemoryFolder, writeFetch, writeParses } from './model-real.js'

/** A fetch list whose fetch has not ended, with its records as they were in the model. */
interface OpenList {
  readonly segment: string
  readonly listed: Map<string, ModelRecord>
}

interface Model {
  readonly db: ModelCrawlDb
  readonly lists: OpenList[]
}

abstract class HistoryStep implements fc.AsyncCommand<Model, Real> {
  check(_model: Readonly<Model>): boolean {
    return true
  }
  async run(model: Model, real: Real): Promise<void> {
    await this.apply(model, real)
    expect(await recordsOf(real.crawlDb)).to.deep.equal(Object.fromEntries(model.db.records))
  }
  abstract apply(model: Model, real: Real): Promise<void>
  abstract toString(): string
}

class Inject extends HistoryStep {
  constructor(
    readonly seeds: readonly ModelSeed[],
    readonly mode: 'keep' | 'overwrite' | 'update',
    readonly crash: Crash,
  ) {
    super()
  }
  async apply({ db }: Model, real: Real): Promise<void> {
    const file = join(real.context.folder.root, `seeds-${real.nextFile++}.txt`)
    writeFileSync(file, `${this.seeds.map(seedLine).join('\n')}\n`)
    await run(real, this.crash, context =>
      injectInto(real.crawlDb, {
        context,
        files: [file],
        rules: { normalize: raw => storedUrl(raw), accepts: () => true },
        isOverwriting: this.mode === 'overwrite',
        isUpdating: this.mode === 'update',
      }),
    )
    db.inject(this.seeds, this.mode, real.clock.nowMs())
  }
  toString(): string {
    return `inject(${this.mode}, ${JSON.stringify(this.seeds)}, killed ${this.crash})`
  }
}

function seedLine({ url, score, fetchIntervalS, metadata }: ModelSeed): string {
  const tokens = [url]
  if (score !== undefined) tokens.push(`nutch.score=${score}`)
  if (fetchIntervalS !== undefined) tokens.push(`nutch.fetchInterval=${fetchIntervalS}`)
  for (const [key, value] of Object.entries(metadata)) tokens.push(`${key}=${value}`)
  return tokens.join('\t')
}

class Generate extends HistoryStep {
  constructor(
    readonly topN: number,
    readonly maxPerHost: number,
  ) {
    super()
  }
  async apply({ db, lists }: Model, real: Real): Promise<void> {
    const nowMs = real.clock.nowMs()
    const best = db.scoresOfBestList(this.topN, this.maxPerHost, nowMs)
    const report = await generate(real.crawlDb, { context: real.context, topN: this.topN, maxPerGroup: () => this.maxPerHost })
    expect(report?.items ?? 0).to.equal(best.length)
    if (report === undefined) return
    const listed = new Map<string, ModelRecord>()
    for (const { url } of await readList(real, report.segment)) {
      expect(db.isSelectable(url, nowMs), `${url} is due and not locked`).to.equal(true)
      listed.set(url, copyOf(db.records.get(url) as ModelRecord))
    }
    expect([...listed.values()].map(({ score }) => score).sort((a, b) => b - a)).to.deep.equal(best)
    db.lock([...listed.keys()], report.segment, nowMs, nowMs + real.context.config.generate.genDelayMs)
    lists.push({ segment: report.segment, listed })
  }
  toString(): string {
    return `generate(${this.topN}, ${this.maxPerHost} per host)`
  }
}

/** What happens to the n-th URL of a list; URLs without an ending are not fetched. */
interface Ending {
  readonly kind: ModelOutcomeKind | 'none'
  readonly signature: string
  readonly links: readonly string[]
  readonly redirectTo: string
}

class FetchAndUpdate extends HistoryStep {
  constructor(
    readonly list: number,
    readonly endings: readonly Ending[],
    readonly crash: Crash,
  ) {
    super()
  }
  override check({ lists }: Readonly<Model>): boolean {
    return lists.length > 0
  }
  async apply({ db, lists }: Model, real: Real): Promise<void> {
    const [open] = lists.splice(this.list % lists.length, 1)
    if (open === undefined) throw new Error('no list')
    const fetchMs = real.clock.nowMs()
    const items = (await readList(real, open.segment)).sort((a, b) => (a.url < b.url ? -1 : 1))
    const outcomes = items.flatMap(({ url }, index): ModelOutcome[] => {
      const { kind, ...ending } = this.endings[index % this.endings.length] as Ending
      return kind === 'none' ? [] : [{ url, kind, fetchMs, ...ending }]
    })
    const segment = await Segment.open(join(real.context.folder.segments, open.segment))
    await writeFetch(segment, items, outcomes)
    await writeParses(real, segment, items, outcomes)
    real.clock.advance(60_000)
    await run(real, this.crash, context => updatedb(real.crawlDb, { context, segments: [segment] }))
    db.update(open.segment, open.listed, outcomes, real.clock.nowMs())
  }
  toString(): string {
    return `fetchAndUpdate(list ${this.list}, ${JSON.stringify(this.endings)}, killed ${this.crash})`
  }
}

class Dedup extends HistoryStep {
  constructor(readonly crash: Crash) {
    super()
  }
  async apply({ db }: Model, real: Real): Promise<void> {
    await run(real, this.crash, context => dedup(real.crawlDb, { context }))
    db.dedup()
  }
  toString(): string {
    return `dedup(killed ${this.crash})`
  }
}

class TimePasses extends HistoryStep {
  constructor(readonly hours: number) {
    super()
  }
  apply(_model: Model, { clock }: Real): Promise<void> {
    clock.advance(this.hours * 3_600_000)
    return Promise.resolve()
  }
  toString(): string {
    return `${this.hours} hours pass`
  }
}

const anyUrl = fc.tuple(fc.nat(2), fc.nat(4)).map(([host, path]) => `http://h${host}.example/${'p'.repeat(path)}`)
const crash = fc.option(fc.nat(6), { nil: undefined, freq: 3 })
const seed: fc.Arbitrary<ModelSeed> = fc
  .record({
    url: anyUrl,
    score: fc.option(fc.constantFrom(0, 0.5, 1, 2, -1), { nil: undefined }),
    fetchIntervalS: fc.option(fc.constantFrom(60, 86_400, 2_592_000, 8_640_000), { nil: undefined }),
    metadata: fc.constantFrom<Readonly<Record<string, string>>>({}, { k: 'a' }, { k: 'b', l: 'c' }),
  })
  .map(({ score, fetchIntervalS, ...rest }) => ({
    ...rest,
    ...(score === undefined ? {} : { score }),
    ...(fetchIntervalS === undefined ? {} : { fetchIntervalS }),
  }))
const ending: fc.Arbitrary<Ending> = fc.record({
  kind: fc.constantFrom<Ending['kind']>(
    'success',
    'success',
    'parse_failed',
    'unparsed',
    'notmodified',
    'redir_temp',
    'redir_perm',
    'retry',
    'gone',
    'none',
  ),
  signature: fc.constantFrom('aa', 'bb').map(pair => pair.repeat(16)),
  links: fc.array(anyUrl, { maxLength: 4 }),
  redirectTo: anyUrl,
})
const steps = fc.commands(
  [
    fc
      .tuple(fc.array(seed, { minLength: 1, maxLength: 5 }), fc.constantFrom('keep' as const, 'overwrite' as const, 'update' as const), crash)
      .map(args => new Inject(...args)),
    fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 4 })).map(args => new Generate(...args)),
    fc.tuple(fc.nat(5), fc.array(ending, { minLength: 1, maxLength: 5 }), crash).map(args => new FetchAndUpdate(...args)),
    crash.map(checks => new Dedup(checks)),
    fc.constantFrom(1, 25, 24 * 8, 24 * 31, 24 * 100).map(hours => new TimePasses(hours)),
  ],
  { maxCommands: 25, size: 'max' },
)

/** Plays random histories against the CrawlDb and the model of it: after each step their records must be the same. */
export async function checkHistories(numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(steps, commands =>
      withMemoryFolder(async folder => {
        const clock = new ManualClock(Date.UTC(2026, 0, 1))
        const config = configWith({ 'millrace.merge.batch': 3, 'db.update.max.inlinks': 100 })
        const context = createJobContext({ folder, config, clock, log: silentLogger, command: 'model' })
        await withJobDb(
          context,
          crawlDb =>
            fc.asyncModelRun(() => ({ model: { db: new ModelCrawlDb(), lists: [] }, real: { context, crawlDb, clock, nextFile: 0 } }), commands),
          true,
        )
      }),
    ),
    { numRuns, endOnFailure: true },
  )
}
