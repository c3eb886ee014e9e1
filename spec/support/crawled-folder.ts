import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { runCli } from './cli.js'
import { runCommand } from './run-command.js'
import { startServer } from './server.js'

/** Options of a crawl that specs start on a loopback site. */
export function crawlOptions(folder: string, more: readonly string[] = []): string[] {
  const rules = join(folder, 'rules.txt')
  writeFileSync(rules, '+.\n')
  const settings = ['fetcher.server.delay=0', 'http.agent.name=testbot', 'http.redirect.max=0', 'millrace.workers=0', ...more]
  return ['--rules', rules, '--allow-address', 'loopback', ...settings.flatMap(pair => ['-D', pair])]
}

/** The site has one host: without this its LinkDb would be empty. */
export const keepInternalLinks = ['-D', 'linkdb.ignore.internal.links=false']

/** Crawls a small site in two rounds and inverts its links: two sealed segments, a CrawlDb, a LinkDb. @returns the crawl's folder */
export async function makeCrawledFolder(folder: string): Promise<string> {
  const server = await startServer({
    routes: {
      '/p*': (request, response) => {
        const number = Number(request.url?.slice(2))
        const links = Array.from({ length: 6 }, (_, index) => `<a href="/p${(number * 3 + index) % 40}">${index === 0 ? '' : `link ${index}`}</a>`)
        response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>${number}</title>${links.join('\n')}`)
      },
    },
  })
  try {
    const crawl = join(folder, 'crawl')
    const seeds = Array.from({ length: 5 }, (_, index) => `${server.origin()}/p${index}`)
    const result = await runCli(['crawl', crawl, ...seeds, '--rounds', '2', '--now', '2026-01-31', ...crawlOptions(folder), ...keepInternalLinks])
    expect(result.status, result.stderr).to.equal(0)
    await runCommand(['invertlinks', crawl, ...keepInternalLinks]) // where the crawl itself has not done it
    return crawl
  } finally {
    await server.close()
  }
}

/** Every record of a crawl in our line format, by URL. */
export async function recordLines(crawl: string): Promise<string[]> {
  return (await runCommand(['readdb', crawl, '--dump', '--format', 'lines'])).stdout.trimEnd().split('\n')
}
