import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.js'
import { runMillrace } from '../measured-child.js'
import type { BenchSite } from '../servers/bench-site.js'
import type { CrawlRun } from './peers.js'

/** The line of totals that `millrace crawl` ends with, as far as measures look at it. */
export interface CrawlTotals {
  readonly fetched: number
  readonly urls: number
  readonly elapsedMs: number
}

/** A rules file that accepts every URL. */
export function acceptAll(bench: Bench): string {
  const file = join(bench.cacheFolder, 'accept-all.txt')
  writeFileSync(file, '+.\n')
  return file
}

export interface MillraceRun extends CrawlRun {
  readonly urls: number
}

/** Crawls the bench site with all parts written, as peers do: no delay, 64 requests in flight, 8 for a host, all links of a page. */
export async function crawlSite(bench: Bench, site: BenchSite, folder: string, pages: number, flags: readonly string[] = []): Promise<MillraceRun> {
  const options = ['fetcher.server.delay=0', 'fetcher.threads.per.queue=8', 'fetcher.threads.fetch=64', 'db.max.outlinks.per.page=-1']
  const run = await runMillrace([
    'crawl',
    folder,
    ...site.seeds,
    ...['--max-pages', `${pages}`, '--rules', acceptAll(bench), '--allow-address', 'loopback', '--quiet'],
    ...options.flatMap(option => ['-D', option]),
    ...flags,
  ])
  const { fetched, urls } = totalsOf(run.stdout)
  return { ...run, fetched, urls }
}

export function totalsOf(stdout: string): CrawlTotals {
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as CrawlTotals // what the README documents of this line
}
