import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { commands } from '../../pipelines/cli/commands.js'
import { type CliOptions, type CliResult, runCli } from './cli.js'
import { type ReportServer, startReportServer } from './report-server.js'
import { type ReportCase, readReports } from './reports.js'
import { readOutcomes, type StoredOutcome } from './segment-files.js'
import { useTempFolders } from './temp-folder.js'

/** A record of the CrawlDb as `readdb --dump --format json` prints it. */
export interface DumpedRecord {
  readonly url: string
  readonly statusName: string
  readonly fetchTime: string
  readonly retriesSinceFetch: number
  readonly retryIntervalSeconds: number
  readonly score: number
  readonly signature: string
  readonly metadata: Readonly<Record<string, string>>
}

/** What the specs of a report work with. */
export interface ReportPlay {
  readonly report: ReportCase
  /** The case's server, started before each test. */
  server(): ReportServer
  /** A new folder for this test. */
  folder(): string
  /** Runs `millrace` with the settings that the reports' README lays down, as far as the command fetches. Lines of stderr in `stderr`. */
  run(args: readonly string[], options?: CliOptions): Promise<CliResult>
  /** One round over these seeds, written with {A}, {B}, {C}; `more` are further arguments. Must exit 0. */
  crawl(seeds: readonly string[], more?: readonly string[], options?: CliOptions): Promise<CliResult>
  /** Outcomes of the crawl, by URL with the origins put back. */
  outcomes(): ReadonlyMap<string, StoredOutcome>
  /** The CrawlDb of the crawl, by URL with the origins put back as {A}, {B}, {C}. */
  dump(): Promise<ReadonlyMap<string, DumpedRecord>>
}

/** Properties that hold unless a case says otherwise. */
const settings = ['fetcher.server.delay=0', 'http.agent.name=testbot', 'http.redirect.max=5', 'http.enable.cookie.header=false']

/** `describe` for one case of the reports, played from outside. Skipped, with the reason, where the shared folder or a command is missing. */
export function describeReport(id: string, needs: readonly string[], define: (play: ReportPlay) => void): void {
  const report = readReports()?.get(id)
  const missing = needs.filter(name => !commands.some(command => command.name === name))
  const why =
    report === undefined ? `${id} needs ../shared, which is not here` : missing.length > 0 ? `${id} needs the command ${missing.join(', ')}` : ''
  if (report === undefined || why !== '')
    describe(id, () => {
      it(why, function skipReport() {
        this.skip()
      })
    })
  else describe(`${id} ${report.summary.slice(0, 100)}`, () => define(preparePlay(report)))
}

function preparePlay(report: ReportCase): ReportPlay {
  const newFolder = useTempFolders()
  let server: ReportServer
  let folder: string
  beforeEach(async () => {
    server = await startReportServer(report.server)
    folder = newFolder()
    writeFileSync(join(folder, 'accept-all.txt'), '+.\n')
  })
  afterEach(() => server.close())
  const play: ReportPlay = {
    report,
    server: () => server,
    folder: () => folder,
    run: (args, options) => runCli(args, { cwd: folder, ...options }),
    async crawl(seeds, more = [], options = {}) {
      const result = await play.run(['crawl', 'crawl', ...seeds.map(server.fill), ...crawlArguments, ...more], options)
      expect(result.status, result.stderr).to.equal(0)
      return result
    },
    outcomes: () => new Map([...readOutcomes(join(folder, 'crawl'))].map(([url, outcome]) => [withLetters(url, server), outcome])),
    async dump() {
      const result = await play.run(['readdb', 'crawl', '--dump', '--format', 'json'])
      expect(result.status, result.stderr).to.equal(0)
      return new Map(result.json<DumpedRecord>().map(record => [withLetters(record.url, server), record]))
    },
  }
  return play
}

const crawlArguments = ['--rounds', '1', '--rules', 'accept-all.txt', '--allow-address', 'loopback', ...settings.flatMap(pair => ['-D', pair])]

function withLetters(url: string, server: ReportServer): string {
  for (const letter of ['A', 'B', 'C'] as const) {
    const origin = server.fill(`{${letter}}`)
    if (url.startsWith(`${origin}/`)) return `{${letter}}${url.slice(origin.length)}`
  }
  return url
}

/** Status names by URL, in the order of the URLs: for comparing with a table. */
export function statusesOf(records: ReadonlyMap<string, DumpedRecord>): Record<string, string> {
  return Object.fromEntries([...records].sort(([a], [b]) => (a < b ? -1 : 1)).map(([url, { statusName }]) => [url, statusName]))
}
