import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { Counters } from '../../lib/log/counters.js'
import { sitemapLines } from '../check-sitemap.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { textOption } from './option-values.js'
import { openInput } from './page-source.js'

export function declare(command: Command): Command {
  return command
    .option('--parse <file>', 'read this sitemap (- for stdin) and print a line for each entry')
    .option('--url <url>', 'the URL the sitemap is from')
    .option('--content-type <type>', 'its Content-Type')
    .option('--no-strict', 'keep entries outside the folder of the sitemap (Nutch: sitemap.strict.parsing=false)')
    .addHelpText('after', '\nExample:\n  echo http://example.org/a | millrace sitemap --parse - --url http://example.org/sitemap.txt')
}

export async function run(context: CommandContext, _args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const file = textOption(options, 'parse')
  if (file === undefined) throw new CrawlError('USAGE', '--parse FILE is missing')
  return parseFile(context, file, options)
}

async function parseFile(context: CommandContext, file: string, options: CommandOptions): Promise<ExitStatus> {
  const url = textOption(options, 'url')
  if (url === undefined || !URL.canParse(url))
    throw new CrawlError('USAGE', '--url is missing or no absolute URL: it says what the sitemap may speak for')
  const { config } = context.configure(undefined, options.strict === false ? { 'sitemap.strict.parsing': false } : {})
  const { log, stdout, signal } = context
  const counters = new Counters()
  const contentType = textOption(options, 'contentType')
  const job = { url, config, counters, log, ...(contentType === undefined ? {} : { contentType }) }
  await pipeline(openInput(context, file), source => sitemapLines(source, job), stdout, { signal, end: false })
  log.info(counters.toJSON(), 'done')
  return counters.get('sitemap/not_a_sitemap') > 0 ? exitStatus.nothing : exitStatus.done
}
