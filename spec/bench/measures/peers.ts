import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot, sharedRoot } from '../../support/paths.js'
import type { Bench } from '../bench.js'
import { type MeasuredRun, startMeasured } from '../measured-child.js'
import type { BenchSite } from '../servers/bench-site.js'

/** A run of a crawler that stopped by itself. */
export interface CrawlRun extends MeasuredRun {
  readonly fetched: number
}

/** Another crawler, measured on the same site in the same run. */
export interface Peer {
  readonly name: string
  /** @param folder an empty one of its own */
  crawl(site: BenchSite, pages: number, folder: string): Promise<CrawlRun>
}

/** Those that can run here; of the others it is said why not. */
export function findPeers(bench: Bench): readonly Peer[] {
  if (!bench.hasPeers) return []
  const scripts = sharedRoot === undefined ? undefined : join(sharedRoot, 'bench')
  if (scripts === undefined || !existsSync(join(scripts, 'bare_loop.mjs'))) {
    bench.say('no peers: their scripts are not beside the project, in ../shared/bench')
    return []
  }
  const peers: Peer[] = [nodePeer('bare loop', join(scripts, 'bare_loop.mjs'), projectRoot)]
  const { crawleeFolder } = bench
  if (crawleeFolder !== undefined && existsSync(join(crawleeFolder, 'node_modules/crawlee'))) {
    peers.push(nodePeer('crawlee', join(scripts, 'crawlee_peer.mjs'), crawleeFolder))
  } else bench.say('no crawlee: name the folder in which it is installed (npm i crawlee@3) with --crawlee')
  if (spawnSync('python3', ['-c', 'import scrapy'], { stdio: 'ignore' }).status === 0) peers.push(scrapyPeer(join(scripts, 'scrapy_peer.py')))
  else bench.say('no scrapy: python3 does not find it')
  return peers
}

/** A script that takes folder, pages, hosts and port, and prints its totals; its packages are those of `packagesFolder`. */
function nodePeer(name: string, script: string, packagesFolder: string): Peer {
  return {
    name,
    async crawl(site, pages, folder) {
      const copy = join(folder, 'peer.mjs') // modules are looked for beside the script, and the script's own folder is not ours
      copyFileSync(script, copy)
      symlinkSync(join(packagesFolder, 'node_modules'), join(folder, 'node_modules'))
      mkdirSync(join(folder, 'store'))
      const args = [copy, join(folder, 'store'), `${pages}`, `${site.hosts}`, `${site.port}`]
      const run = await startMeasured(process.execPath, args, { cwd: folder }).result
      const totals = JSON.parse(run.stdout.trim().split('\n').at(-1) ?? '{}') as { readonly fetched: number } // the scripts print this last
      return { ...run, fetched: totals.fetched }
    },
  }
}

function scrapyPeer(script: string): Peer {
  return {
    name: 'scrapy',
    async crawl(site, pages, folder) {
      const out = join(folder, 'out.jl')
      const limits = ['-s', `CLOSESPIDER_PAGECOUNT=${pages}`, '-a', `hosts=${site.hosts}`, '-a', `port=${site.port}`]
      const run = await startMeasured('python3', ['-m', 'scrapy', 'runspider', script, '-o', out, ...limits], { cwd: folder }).result
      return { ...run, fetched: readFileSync(out, 'utf8').trimEnd().split('\n').length }
    },
  }
}
