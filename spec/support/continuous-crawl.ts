import { cpSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ManualClock } from '../../lib/log/clock.js'
import { runCli, startCli } from './cli.js'
import { patient } from './kill.js'
import type { KillSite } from './kill-crawl.js'
import { type CommandRun, runCommand } from './run-command.js'
import { readPart } from './segment-files.js'

/** Requests that can be under way when the crawl is killed. */
const maxInFlight = 6
const now = '2026-01-31T12:00:00Z'
const settings = [
  'millrace.merge.batch=20',
  'millrace.workers=0',
  'fetcher.server.delay=0',
  `fetcher.threads.fetch=${maxInFlight}`,
  'fetcher.threads.per.queue=2',
  'http.redirect.max=0',
  'http.agent.name=testbot',
].flatMap(pair => ['-D', pair])

/** A crawl at a time that stands still; `folder` holds its rules, and the crawl in `folder/crawl`. */
export function commandOf(folder: string, { seeds }: KillSite, limits: readonly string[]): string[] {
  const rules = join(folder, 'rules.txt')
  writeFileSync(rules, '+.\n')
  return ['crawl', join(folder, 'crawl'), ...seeds, ...limits, '--rules', rules, '--allow-address', 'loopback', '--now', now, ...settings]
}

/** A continuous crawl whose segments are small, so that it rolls over often. */
export function continuousCommand(folder: string, site: KillSite): string[] {
  return commandOf(folder, site, ['--until-idle', '-D', 'millrace.roll.pages=25'])
}

export interface Totals {
  readonly fetched: number
  readonly urls: number
  readonly rounds: number
  readonly elapsedMs: number
  readonly stoppedBy: string
}

/** Runs a crawl to its end. */
export async function crawlToEnd(command: readonly string[], options = patient): Promise<Totals> {
  const result = await runCli(command, options)
  expect(result.status, result.stderr).to.equal(0)
  return result.json<Totals>().at(-1) as Totals // the crawl's contract: one line of totals
}

export interface Kills {
  /** The moments of the kills, ms after each start. */
  readonly delays: readonly number[]
  readonly totals: Totals
}

/** Kills the crawl at random moments, then lets it come to its end. */
export async function killContinuously(command: readonly string[], kills: number, spanMs: number, random: () => number): Promise<Kills> {
  const delays: number[] = []
  while (delays.length < kills) {
    const delayMs = Math.round(spanMs * (0.15 + 0.8 * random()))
    const totals = await totalsUnlessKilled(command, delayMs)
    if (totals !== undefined) return { delays, totals } // also where the kill came after the crawl had said so
    delays.push(delayMs)
  }
  return { delays, totals: await crawlToEnd(command) }
}

async function totalsUnlessKilled(command: readonly string[], delayMs: number): Promise<Totals | undefined> {
  const running = startCli(command, patient)
  const timer = setTimeout(() => running.kill('SIGKILL'), delayMs)
  const { status, stderr, json } = await running.result
  clearTimeout(timer)
  if (status !== null) expect(status, stderr).to.equal(0)
  return json<Totals>().at(-1)
}

/** The records of the db, by URL, with their scores apart. */
export interface DbContent {
  readonly records: ReadonlyMap<string, string>
  readonly scores: ReadonlyMap<string, number>
}

export async function dumpDb(crawlFolder: string): Promise<DbContent> {
  const { stdout } = await runCommand(['readdb', crawlFolder, '--dump', '--format', 'json'])
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as { url: string; score: number }) // what --format json prints
  return {
    records: new Map(rows.map(({ score: _, ...row }) => [row.url, JSON.stringify(row)])),
    scores: new Map(rows.map(({ url, score }) => [url, score])),
  }
}

/** Links as `invertlinks` makes them of all segments, sorted. */
export async function linksOf(crawlFolder: string): Promise<string[]> {
  await runCommand(['invertlinks', crawlFolder, '-D', 'linkdb.ignore.internal.links=false'])
  const { stdout } = await runCommand(['readlinkdb', crawlFolder, '--dump'])
  return stdout.split('\n').sort()
}

/** The db that comes of the crawl's segments alone: its seeds injected, then one segment after the other merged, in the order of the ledger. */
export async function replay(crawlFolder: string, folder: string, { seeds }: KillSite): Promise<DbContent> {
  const copy = join(folder, 'replayed')
  const list = join(folder, 'seeds.txt')
  const rules = join(folder, 'rules.txt')
  writeFileSync(list, `${seeds.join('\n')}\n`)
  writeFileSync(rules, '+.\n')
  await runAtTime(['inject', copy, list, '-D', `urlfilter.regex.file=${rules}`])
  cpSync(join(crawlFolder, 'segments'), join(copy, 'segments'), { recursive: true })
  for (const name of readdirSync(join(copy, 'segments')).sort()) {
    const isEmpty = readdirSync(join(copy, 'segments', name)).length === 0 // a kill came before its list
    if (!isEmpty) await runAtTime(['updatedb', copy, name])
  }
  return dumpDb(copy)
}

function runAtTime(argv: readonly string[]): Promise<CommandRun> {
  return runCommand(argv, { clock: new ManualClock(Date.parse(now)) })
}

/** How often each URL has an outcome in the segments. */
export function outcomeCounts(crawlFolder: string): Map<string, number> {
  const segments = join(crawlFolder, 'segments')
  const counts = new Map<string, number>()
  for (const name of readdirSync(segments)) {
    for (const [url] of readPart(join(segments, name), 'crawl_fetch')) counts.set(url, (counts.get(url) ?? 0) + 1)
  }
  return counts
}

/** Every page was asked for as often as in the undisturbed crawl, but for those in flight at a kill. */
export function expectFewRepeats(site: KillSite, undisturbed: ReadonlyMap<string, number>, kills: number, title: string): void {
  const counts = site.requestCounts()
  expect([...counts.keys()].sort(), title).to.deep.equal([...undisturbed.keys()].sort())
  let repeats = 0
  for (const [url, count] of counts) repeats += count - (undisturbed.get(url) ?? 0)
  expect(repeats, title).to.be.within(0, kills * maxInFlight)
}
