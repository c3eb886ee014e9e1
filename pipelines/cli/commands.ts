import type { CommandModule } from './command.js'

export interface CommandEntry {
  readonly name: string
  readonly summary: string
  /** Set for commands that run inside the process that holds the db: on a snapshot, or through its commit queue. */
  readonly inHolder?: {
    readonly access: 'reads' | 'writes'
    /** How many of its arguments, from the first, are paths. */
    readonly paths: number
    /** The arguments behind those name segments, or are paths of some. */
    readonly takesSegments?: boolean
    /** Runs of it wait for one another, for they keep files of their own. */
    readonly isAlone?: boolean
  }
  load(): Promise<CommandModule>
}

const reads = { access: 'reads', paths: 1 } as const
const writes = { access: 'writes', paths: 1 } as const
const writesFiles = { access: 'writes', paths: Number.POSITIVE_INFINITY } as const

/** Every command, in the order that the help shows. A module is loaded only when its command runs. */
export const commands: readonly CommandEntry[] = [
  { name: 'demo', summary: 'serve a small site on loopback, crawl it, and print what came out', load: () => import('./demo.js') },
  { name: 'crawl', summary: 'crawl from seeds until a limit is reached; the same command goes on', load: () => import('./crawl.js') },
  { name: 'inject', summary: 'put seed URLs into the CrawlDb', inHolder: writesFiles, load: () => import('./inject.js') },
  { name: 'generate', summary: 'make a fetch list of what is due', load: () => import('./generate.js') },
  { name: 'fetch', summary: 'fetch the list of a segment', load: () => import('./fetch.js') },
  { name: 'parse', summary: 'parse the fetched pages of a segment', load: () => import('./parse.js') },
  { name: 'updatedb', summary: 'merge fetched and parsed segments into the CrawlDb', load: () => import('./updatedb.js') },
  { name: 'invertlinks', summary: 'bring the links of parsed segments into the LinkDb', load: () => import('./invertlinks.js') },
  { name: 'readdb', summary: 'ask the CrawlDb: counts, records, checks', inHolder: reads, load: () => import('./readdb.js') },
  { name: 'explain', summary: 'say why a URL was or was not fetched, and what comes next', inHolder: reads, load: () => import('./explain.js') },
  { name: 'readlinkdb', summary: 'ask the LinkDb: who links to a page, what it links to', load: () => import('./readlinkdb.js') },
  {
    name: 'domainstats',
    summary: 'count fetched pages by host, domain, suffix or top level',
    inHolder: reads,
    load: () => import('./domainstats.js'),
  },
  { name: 'protocolstats', summary: 'count records by HTTP status', inHolder: reads, load: () => import('./protocolstats.js') },
  {
    name: 'crawlcomplete',
    summary: 'count what is fetched and what is not by host or domain',
    inHolder: reads,
    load: () => import('./crawlcomplete.js'),
  },
  { name: 'politeness', summary: 'prove how politely each host was asked: gaps, delays due, violations', load: () => import('./politeness.js') },
  { name: 'dedup', summary: 'mark pages with equal content as duplicates', inHolder: writes, load: () => import('./dedup.js') },
  { name: 'reschedule', summary: 'change when chosen records are due, and how often', inHolder: writes, load: () => import('./reschedule.js') },
  { name: 'delete', summary: 'delete chosen records of the CrawlDb', inHolder: writes, load: () => import('./delete.js') },
  { name: 'refilter', summary: 'apply changed URL rules to the CrawlDb', inHolder: writes, load: () => import('./refilter.js') },
  { name: 'mergedb', summary: 'merge CrawlDbs into one', load: () => import('./mergedb.js') },
  { name: 'mergelinkdb', summary: 'merge LinkDbs into one', load: () => import('./mergelinkdb.js') },
  { name: 'freegen', summary: 'make a fetch list straight from a list of URLs', load: () => import('./freegen.js') },
  { name: 'sweep', summary: 'mark orphans, delete what is gone or orphaned', inHolder: writes, load: () => import('./sweep.js') },
  { name: 'updatehostdb', summary: 'begin to keep what is known of hosts', inHolder: writes, load: () => import('./updatehostdb.js') },
  {
    name: 'readhostdb',
    summary: 'ask what is known of hosts: failures, response times, homepages',
    inHolder: reads,
    load: () => import('./readhostdb.js'),
  },
  { name: 'compact', summary: 'give back the room of what was deleted; rebuild indexes', load: () => import('./compact.js') },
  { name: 'normalize', summary: 'normalize the URLs of lines on stdin', load: () => import('./normalize.js') },
  { name: 'filter', summary: 'keep the lines whose URL the rules accept', load: () => import('./filter.js') },
  { name: 'score', summary: 'give seeds on stdin their scores', load: () => import('./score.js') },
  { name: 'stage', summary: 'fetch or parse lines on stdin; key lines for their reducers', load: () => import('./stage.js') },
  { name: 'reduce', summary: 'run the reducer of a job over sorted lines', load: () => import('./reduce.js') },
  { name: 'robots', summary: 'say what robots.txt allows, and by which line', load: () => import('./robots.js') },
  { name: 'readseg', summary: 'list segments, print their records, or what they hold of one URL', load: () => import('./readseg.js') },
  { name: 'mergesegs', summary: 'merge segments into one, or into slices', load: () => import('./mergesegs.js') },
  { name: 'expire', summary: 'remove old segments whose pages have newer copies', load: () => import('./expire.js') },
  { name: 'import', summary: 'make segments out of WARC files made elsewhere', load: () => import('./import.js') },
  { name: 'warc', summary: 'check WARC files, or export captures and texts as WARC', load: () => import('./warc.js') },
  { name: 'parse-page', summary: 'say what a page is read as: text, links, charset, directives', load: () => import('./parse-page.js') },
  { name: 'sitemap', summary: 'read a sitemap', load: () => import('./sitemap.js') },
  { name: 'signature', summary: 'print the signatures of pages or texts', load: () => import('./signature.js') },
  { name: 'config', summary: 'print every option with its value, source and meaning', load: () => import('./config.js') },
  { name: 'plugins', summary: 'list the plugins that are loaded', load: () => import('./plugins.js') },
  {
    name: 'index',
    summary: 'give documents for a search engine',
    inHolder: { access: 'reads', paths: 1, takesSegments: true, isAlone: true },
    load: () => import('./index-command.js'),
  },
  { name: 'status', summary: 'say how far a crawl has come, while it runs or after', inHolder: reads, load: () => import('./status.js') },
  { name: 'stop', summary: 'stop a running crawl, as SIGTERM does, and wait for its end', load: () => import('./stop.js') },
  {
    name: 'backup',
    summary: 'copy a crawl, also while it runs, to a folder that can be crawled on with',
    inHolder: { access: 'reads', paths: 2 },
    load: () => import('./backup.js'),
  },
  { name: 'doctor', summary: 'check all that a crawl folder holds, and repair it', load: () => import('./doctor.js') },
]
