import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setInterval as every } from 'node:timers/promises'
import { type Machine, machineLine, thisMachine } from './machine.js'
import { type MeasuredChild, startMillrace } from './measured-child.js'
import { totalsOf } from './measures/crawl-site.js'
import { openFilesOf, useOf } from './proc.js'
import { linesSvg } from './report/lines-svg.js'
import type { ChildServer } from './servers/child-server.js'
import { type EndlessLog, frontPath, startEndlessServer } from './servers/endless-plan.js'
import { loopbackHosts } from './servers/loopback.js'

/** What one look at the crawl saw. */
export interface SoakSample {
  readonly minutes: number
  readonly residentMB: number
  readonly openFiles: number
  /** Requests that the server saw since the look before. */
  readonly pagesPerS: number
  /** Of these, those for pages that were fetched again. */
  readonly againPerS: number
  readonly cpuPercent: number
  readonly crawlDbMB: number
  readonly segmentsMB: number
}

export interface SoakReport {
  readonly startedAt: string
  readonly machine: Machine
  readonly hosts: number
  readonly crawlDelaysS: readonly number[]
  readonly samples: readonly SoakSample[]
  readonly peakMB: number
  readonly totals: { readonly fetched: number; readonly urls: number }
  readonly server: EndlessLog
}

const hosts = loopbackHosts(40, 400)
/** What robots.txt of the hosts asks for: some 65 pages a second in all, and no two sixths of the hosts in step. */
const crawlDelaysS = [4, 5, 6, 7, 8, 9]
const fronts = 5
const frontIntervalS = 120
/** Looks are this many to a run, but no closer than a second apart. */
const looks = 360

/** Crawls a site without an end for a while, in a child process as a user does, and looks at it from outside. */
export async function soak(folder: string, minutes: number): Promise<SoakReport> {
  const startedAt = new Date().toISOString()
  const server = await startEndlessServer({ hosts, fronts, pageBytes: 6000, crawlDelaysS })
  try {
    const crawl = startMillrace(crawlCommand(folder, server.port, minutes), { timeoutMs: (minutes + 10) * 60_000 })
    const samples = await watch(crawl, server, join(folder, 'crawl'), minutes)
    const { stdout, peakBytes = 0 } = await crawl.result
    const { fetched, urls } = totalsOf(stdout)
    const seen = await server.seen<EndlessLog>()
    return {
      startedAt,
      machine: thisMachine(),
      hosts: hosts.length,
      crawlDelaysS,
      samples,
      peakMB: inMB(peakBytes),
      totals: { fetched, urls },
      server: seen,
    }
  } finally {
    await server.close()
  }
}

/** Front pages are due again every two minutes; each host has them, and the pages below them. */
function crawlCommand(folder: string, port: number, minutes: number): string[] {
  const [seeds, rules] = [join(folder, 'seeds.txt'), join(folder, 'rules.txt')]
  const urls = hosts.flatMap(host => Array.from({ length: fronts }, (_, number) => `http://${host}:${port}${frontPath(number)}`))
  writeFileSync(seeds, urls.map(url => `${url}\tnutch.fetchInterval=${frontIntervalS}\n`).join(''))
  writeFileSync(rules, '+.\n')
  const limits = ['--max-time', `${Math.round(minutes * 60)}s`, '--quiet']
  return ['crawl', join(folder, 'crawl'), '--seeds', seeds, '--rules', rules, '--allow-address', 'loopback', ...limits]
}

async function watch(crawl: MeasuredChild, server: ChildServer, crawlFolder: string, minutes: number): Promise<SoakSample[]> {
  const samples: SoakSample[] = []
  let before = await look(crawl, server, crawlFolder)
  for await (const _ of every(Math.max(1000, (minutes * 60_000) / looks))) {
    const now = await look(crawl, server, crawlFolder)
    const seconds = (now.timeMs - before.timeMs) / 1000
    const elapsedMinutes = (now.timeMs - crawl.startedMs) / 60_000
    if (elapsedMinutes > minutes) break
    samples.push({
      minutes: rounded(elapsedMinutes),
      residentMB: now.residentMB,
      openFiles: now.openFiles,
      pagesPerS: rounded((now.requests - before.requests) / seconds),
      againPerS: rounded((now.again - before.again) / seconds),
      cpuPercent: rounded((now.cpuMs - before.cpuMs) / seconds / 10),
      crawlDbMB: now.crawlDbMB,
      segmentsMB: now.segmentsMB,
    })
    before = now
  }
  return samples
}

async function look({ pid = 0 }: MeasuredChild, server: ChildServer, crawlFolder: string) {
  const { frontRequests, pages, repeats } = await server.seen<EndlessLog>()
  const { residentBytes = 0, cpuMs = 0 } = useOf(pid)
  return {
    timeMs: performance.timeOrigin + performance.now(),
    requests: frontRequests + pages + repeats,
    again: Math.max(0, frontRequests - hosts.length * fronts) + repeats,
    residentMB: inMB(residentBytes),
    cpuMs,
    openFiles: openFilesOf(pid),
    crawlDbMB: inMB(bytesUnder(join(crawlFolder, 'crawldb'))),
    segmentsMB: inMB(bytesUnder(join(crawlFolder, 'segments'))),
  }
}

/** Files that go while they are counted are not. */
function bytesUnder(folder: string): number {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce((sum, name) => {
      const stats = statSync(join(folder, name), { throwIfNoEntry: false })
      return sum + (stats?.isFile() === true ? stats.size : 0)
    }, 0)
  } catch {
    return 0
  }
}

function inMB(bytes: number): number {
  return rounded(bytes / 1_000_000)
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}

/** Writes soak.json and soak.svg. */
export function writeSoak(folder: string, report: SoakReport): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'soak.json'), `${JSON.stringify(report, undefined, 1)}\n`)
  const { samples } = report
  const panels = [
    { title: 'resident memory, MB', values: samples.map(({ residentMB }) => residentMB) },
    { title: 'open files', values: samples.map(({ openFiles }) => openFiles) },
    { title: 'pages/s', values: samples.map(({ pagesPerS }) => pagesPerS) },
    { title: 'pages/s that were fetched again', values: samples.map(({ againPerS }) => againPerS) },
    { title: 'processor, % of a core', values: samples.map(({ cpuPercent }) => cpuPercent) },
    { title: 'CrawlDb, MB', values: samples.map(({ crawlDbMB }) => crawlDbMB) },
    { title: 'segments, MB', values: samples.map(({ segmentsMB }) => segmentsMB) },
  ]
  const title = `Millrace, ${report.hosts} hosts with a Crawl-delay of ${Math.min(...report.crawlDelaysS)} to ${Math.max(...report.crawlDelaysS)} s: ${machineLine(report.machine)}`
  writeFileSync(
    join(folder, 'soak.svg'),
    linesSvg(
      title,
      samples.map(({ minutes }) => minutes),
      panels,
    ),
  )
}
