import { join } from 'node:path'
import { expect } from 'chai'
import { runCli } from './cli.js'
import { killAfter, patient } from './kill.js'
import { crawlCommand, type KillSite } from './kill-crawl.js'

/** Segments that roll over all the time, so that kills meet roll-over and merge; redirects are links, so that no page is asked for by two ways. */
const limits = ['--until-idle', '-D', 'millrace.roll.pages=10', '-D', 'millrace.grace=1', '-D', 'http.redirect.max=0']

interface DumpedRecord {
  readonly url: string
  readonly statusName: string
  readonly signature: string
}

/** What a continuous crawl promises to give whenever it was killed: URLs, statuses, signatures. */
async function factsOf(crawl: string): Promise<string[]> {
  const dump = await runCli(['readdb', crawl, '--dump', '--format', 'json'], patient)
  expect(dump.status, dump.stderr).to.equal(0)
  return dump.json<DumpedRecord>().map(({ url, statusName, signature }) => `${url} ${statusName} ${signature}`)
}

export interface UndisturbedContinuous {
  readonly facts: readonly string[]
  readonly elapsedMs: number
  readonly pages: ReadonlySet<string>
}

export async function crawlContinuouslyUndisturbed(folder: string, site: KillSite): Promise<UndisturbedContinuous> {
  site.forget()
  const { status, stderr, elapsedMs } = await runCli(crawlCommand(folder, site, limits), patient)
  expect(status, stderr).to.equal(0)
  return { facts: await factsOf(join(folder, 'crawl')), elapsedMs, pages: new Set(site.requestCounts().keys()) }
}

/** Kills a continuous crawl at random moments until it comes to its end, and compares. @returns the kills */
export async function killContinuous(
  folder: string,
  site: KillSite,
  undisturbed: UndisturbedContinuous,
  maxKills: number,
  random: () => number,
): Promise<number> {
  site.forget()
  const command = crawlCommand(folder, site, limits)
  const delays: number[] = []
  let kills = 0
  while (kills < maxKills) {
    delays.push(undisturbed.elapsedMs * (0.1 + 0.8 * random()))
    if (!(await killAfter(command, delays.at(-1) as number))) break
    kills++
  }
  const title = `killed after ${delays.map(Math.round).join(', ')} ms`
  const last = await runCli(command, patient)
  expect(last.status, `${title}: ${last.stderr}`).to.equal(0)
  const crawl = join(folder, 'crawl')
  expect(await factsOf(crawl), title).to.deep.equal(undisturbed.facts)
  const counts = site.requestCounts()
  expect(new Set(counts.keys()), title).to.deep.equal(undisturbed.pages)
  for (const [url, count] of counts) expect(count, `${title}: ${url}`).to.be.at.most(1 + kills)
  expect(
    [...counts.values()].reduce((sum, count) => sum + count - 1, 0),
    title,
  ).to.be.at.most(kills * 6)
  const checked = await runCli(['doctor', crawl], patient)
  expect(checked.status, `${title}: ${checked.stdout}`).to.equal(0)
  return kills
}
