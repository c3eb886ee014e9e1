import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { sharedRoot } from '../../support/paths.js'
import type { Bench } from '../bench.js'
import { type SitePlan, writeMadeSite } from '../made/made-site.js'
import { startChildServer } from './child-server.js'
import { freePort } from './loopback.js'

/** The static site that whole crawlers are measured on. */
export interface BenchSite extends SitePlan {
  /** Where its files are. */
  readonly folder: string
  readonly server: 'nginx' | 'node'
  /** Roots of all hosts. */
  readonly seeds: readonly string[]
}

const firstPort = 8199

/** The site, served from its first use until the run ends: by nginx where there is one, else by a process of our own. */
export function benchSite(bench: Bench): Promise<BenchSite> {
  return bench.once('site', async () => {
    const { pages, hosts } = bench.sizes.site
    const addresses = Array.from({ length: hosts }, (_, index) => `127.0.0.${index + 1}`)
    const port = await freePort(addresses.at(-1) ?? '127.0.0.1', firstPort)
    const plan = { pages, hosts, port }
    const folder = writeSite(bench, plan)
    const server = hasNginx() ? 'nginx' : 'node'
    if (server === 'nginx') bench.onClose(await startNginx(bench, folder, addresses, port))
    else bench.onClose((await startChildServer('./static-server.js', { folder, hosts: addresses, port })).close)
    bench.say(`site of ${pages} pages on ${hosts} hosts, port ${port}, served by ${server}`)
    return { ...plan, folder, server, seeds: addresses.map(address => `http://${address}:${port}/`) }
  })
}

/** Some links name the port, so a site is kept by its port. */
function writeSite(bench: Bench, plan: SitePlan): string {
  const generator = sharedRoot === undefined ? undefined : join(sharedRoot, 'bench/site.mjs')
  const isShared = generator !== undefined && existsSync(generator)
  const folder = join(bench.cacheFolder, `site-${isShared ? 'shared' : 'own'}-${plan.pages}-${plan.hosts}-${plan.port}`)
  if (existsSync(folder)) return folder
  const unfinished = `${folder}.part`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished)
  if (isShared) spawnSync(process.execPath, [generator, unfinished, `${plan.pages}`, `${plan.hosts}`, `${plan.port}`])
  else writeMadeSite(unfinished, plan)
  renameSync(unfinished, folder)
  return folder
}

function hasNginx(): boolean {
  return spawnSync('nginx', ['-v'], { stdio: 'ignore' }).status === 0
}

/** Starts nginx and waits until it answers. @returns what ends it */
async function startNginx(bench: Bench, site: string, addresses: readonly string[], port: number): Promise<() => Promise<void>> {
  const folder = join(bench.workFolder, 'nginx')
  mkdirSync(folder)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${join(folder, name)};`)
  const listens = addresses.map(address => `listen ${address}:${port};`)
  const user = process.getuid?.() === 0 ? 'user root root;' : ''
  const text = `${user} worker_processes 1; daemon off; pid ${join(folder, 'pid')}; error_log ${join(folder, 'error.log')};
events { worker_connections 4096; }
http { types { text/html html; text/plain txt; } charset utf-8; access_log off; sendfile on; keepalive_requests 1000000; keepalive_timeout 600;
  open_file_cache max=20000; ${paths.join(' ')}
  server { ${listens.join(' ')} root ${site}; } }
`
  writeFileSync(join(folder, 'nginx.conf'), text)
  const child = spawn('nginx', ['-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' })
  process.once('exit', () => child.kill())
  const ended = once(child, 'exit')
  await Promise.race([answers(`http://${addresses[0]}:${port}/robots.txt`), ended.then(() => Promise.reject(new Error('nginx ended at once')))])
  return async () => {
    child.kill('SIGTERM')
    await ended
  }
}

async function answers(url: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    try {
      if ((await fetch(url)).ok) return
    } catch {
      await wait(25)
    }
  }
  throw new Error(`nothing answers at ${url}`)
}
