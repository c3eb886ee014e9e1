import type { Command } from 'commander'
import type { Config } from '../../lib/config/options.js'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { Counters } from '../../lib/log/counters.js'
import type { PageInput } from '../../lib/parse/page.js'
import { formatLine } from '../../lib/record/line-format.js'
import { checkPage, type FetchedPage, fetchOnePage, pageReport } from '../check-page.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { fetchFlags } from './fetch-options.js'
import { loadCountedPlugins } from './job-context.js'
import { collect, flag, listOption, textOption } from './option-values.js'
import { openInput, pipedInput, readAll } from './page-source.js'

type GivenPage = PageInput & Partial<Pick<FetchedPage, 'httpStatus'>>

export function declare(command: Command): Command {
  return command
    .argument('[file]', 'the page; - for stdin; a URL, or nothing, to fetch it')
    .option('--url <url>', 'the URL the page is from')
    .option('--content-type <type>', 'its Content-Type')
    .option('--header <line>', 'a response header, `Name: value`; may be repeated', collect)
    .option('--links', 'print the links only, a line each')
    .option('--text', 'print the text only')
    .option('--allow-address <range>', 'let a fetch reach loopback, private, or a CIDR range; may be repeated', collect)
    .addHelpText(
      'after',
      "\nExit status 1: a page was fetched and its HTTP status is no success.\n\nExample:\n  echo '<title>Hi</title><a href=/next>on</a>' | millrace parse-page --url http://example.org/ -",
    )
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const { config } = context.configure(undefined, definedFlags(options))
  const { httpStatus, ...page } = await pageOf(context, args[0], options, config)
  const parse = checkPage(page, config, await loadCountedPlugins(config, new Counters(), context.log))
  if (flag(options, 'links')) {
    for (const { url, ...link } of parse.links) context.stdout.write(formatLine(url, link))
  } else if (flag(options, 'text')) context.stdout.write(`${parse.text}\n`)
  else context.stdout.write(formatLine(parse.url, { ...pageReport(page, parse, config), ...(httpStatus === undefined ? {} : { httpStatus }) }))
  if (parse.cause !== undefined) context.log.warn({ url: parse.url, status: parse.status }, parse.cause)
  if (httpStatus === undefined || (httpStatus >= 200 && httpStatus < 300)) return exitStatus.done
  context.log.warn({ url: parse.url, httpStatus }, 'the server did not answer with a page')
  return exitStatus.nothing
}

function definedFlags(options: CommandOptions): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fetchFlags(options)).filter(([, value]) => value !== undefined))
}

async function pageOf(context: CommandContext, file: string | undefined, options: CommandOptions, config: Config): Promise<GivenPage> {
  const isUrlAlone = file !== undefined && /^https?:\/\//i.test(file)
  const url = textOption(options, 'url') ?? (isUrlAlone ? file : undefined)
  if (url === undefined) throw new CrawlError('USAGE', '--url is missing: links are resolved against it')
  if (!URL.canParse(url)) throw new CrawlError('USAGE', `--url ${url}: an absolute URL is wanted`)
  const bytes = file === undefined ? await pipedInput(context) : isUrlAlone ? undefined : await readAll(openInput(context, file))
  if (bytes === undefined) return withGiven(await fetchOnePage(url, { config, clock: context.clock, signal: context.signal }), options)
  return withGiven({ url, bytes }, options)
}

/** Content-Type and headers of the command line go before those that were received. */
function withGiven(page: GivenPage, options: CommandOptions): GivenPage {
  const headers = listOption(options, 'header').map(headerOf)
  const contentType = textOption(options, 'contentType') ?? headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1]
  return { ...page, headers: [...headers, ...(page.headers ?? [])], ...(contentType === undefined ? {} : { contentType }) }
}

/** As it would have been received: one character a byte. */
function headerOf(given: string): readonly [string, string] {
  const line = Buffer.from(given).toString('latin1')
  const colon = line.indexOf(':')
  if (colon <= 0) throw new CrawlError('USAGE', `--header ${given}: Name: value is wanted`)
  return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
}
