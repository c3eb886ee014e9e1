import type { Command } from 'commander'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { withLinkDb } from '../../lib/linkdb/open.js'
import { normalizeUrl } from '../../lib/url/normalize-url.js'
import { compilePattern } from '../patterns.js'
import { dumpLinkDb, linksOf } from '../readlinkdb.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf } from './job-context.js'
import { flag, requiredArgument, textOption } from './option-values.js'
import { printLine } from './print-line.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .option('--url <url>', 'print the links to one page')
    .option('--dump', 'print the links to all pages; a scan')
    .option('--outlinks', 'the links of pages instead of those to them')
    .option('--regex <pattern>', 'with --dump: pages in whose URL the pattern is found')
    .option('--json', 'a line of JSON for each link instead of text')
    .addHelpText('after', '\nExample:\n  millrace readlinkdb crawl --url http://example.org/')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const folder = requiredArgument(args, 0, 'dir')
  const rawUrl = textOption(options, 'url')
  if ((rawUrl === undefined) !== flag(options, 'dump')) throw new CrawlError('USAGE', 'one of --url, --dump is wanted')
  const regex = textOption(options, 'regex')
  const shared = {
    form: flag(options, 'json') ? 'lines' : 'text',
    direction: flag(options, 'outlinks') ? 'out' : 'in',
    maxLinks: 0,
  } as const
  const url = rawUrl === undefined ? undefined : normalizeUrl(rawUrl)
  const { config } = await jobContextOf(context, folder, 'readlinkdb')
  const choice = { ...shared, maxLinks: config.link.maxInlinks }
  const matches = regex === undefined ? undefined : compilePattern(regex)
  return withLinkDb({ folder, config: config.db }, async linkDb => {
    const links =
      url === undefined
        ? dumpLinkDb(linkDb, { ...choice, signal: context.signal, ...(matches === undefined ? {} : { matches }) })
        : linksOf(linkDb, url, choice)
    let count = 0
    for await (const text of links) {
      count++
      await printLine(context, text)
    }
    if (count > 0) return exitStatus.done
    if (url !== undefined && shared.form === 'text') context.stdout.write(' - no link information.\n')
    return exitStatus.nothing
  })
}
