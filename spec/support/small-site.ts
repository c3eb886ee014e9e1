import { type CommandRun, runCommand } from './run-command.js'
import { type SpecServer, startServer } from './server.js'

export const acceptAll = ['-D', 'urlfilter.regex.rules=+.']
export const linesOf = ({ stdout }: CommandRun): string[] => stdout.split('\n').filter(line => line !== '')
/** What stands before the first tab of each line. */
export const keysOf = (run: CommandRun): string[] => linesOf(run).map(line => line.split('\t')[0] ?? '')
export const jsonLinesOf = (run: CommandRun) => linesOf(run).map(line => JSON.parse(line) as Record<string, unknown>) // what the command prints

/** A site of four pages, and crawls of it within this process. */
export interface SmallSite {
  readonly server: SpecServer
  /** Three rounds from the home page; gives the counters. */
  crawl(folder: string, ...more: readonly string[]): Promise<Record<string, number>>
  /** Status in the CrawlDb by path. */
  statuses(folder: string): Promise<Record<string, unknown>>
}

/** The site, served while the `describe` in which this is called runs. */
export function useSmallSite(): SmallSite {
  let started: SmallSite | undefined
  before(async () => {
    started = await startSmallSite()
  })
  after(() => started?.server.close())
  const site = (): SmallSite => started as SmallSite // asked for by tests only
  return {
    get server() {
      return site().server
    },
    crawl: (folder, ...more) => site().crawl(folder, ...more),
    statuses: folder => site().statuses(folder),
  }
}

async function startSmallSite(): Promise<SmallSite> {
  const page = (title: string, body: string) => ({ body: `<html><head><title>${title}</title></head><body>${body}</body></html>` })
  const links = ['/deep/er/page', '/near', '/calendar/2031'].map(href => `<a href="${href}">${href.slice(-4)}</a>`).join(' ')
  const server = await startServer({
    routes: {
      '/': page('Home', `<p>one two three four five six</p><p>${links}</p>`),
      '/deep/er/page': page('Deep', 'deep'),
      '/near': page('', 'near'),
      '/calendar/2031': page('Calendar', 'endless'),
    },
  })
  const limits = ['--rounds', '3', '--allow-address', 'loopback', '-D', 'fetcher.server.delay=0', ...acceptAll]
  return {
    server,
    async crawl(folder, ...more) {
      const run = await runCommand(['crawl', folder, `${server.origin()}/`, ...limits, ...more])
      return run.json<{ counts: Record<string, number> }>().counts
    },
    async statuses(folder) {
      const run = await runCommand(['readdb', folder, '--dump', '--format', 'json'])
      return Object.fromEntries(jsonLinesOf(run).map(({ url, statusName }) => [String(url).slice(server.origin().length), statusName]))
    },
  }
}
