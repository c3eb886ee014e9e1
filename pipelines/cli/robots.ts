import { readFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { type Command, Option } from 'commander'
import type { ResolvedConfig } from '../../lib/config/resolve-config.js'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { createHttpClient } from '../../lib/fetch/http-client.js'
import { agentNamesOf } from '../../lib/fetch/request-headers.js'
import { Counters } from '../../lib/log/counters.js'
import { parseRobots } from '../../lib/robots/parse-robots.js'
import { type CheckRobotsJob, checkRobotsLines, rulesFromFile, rulesFromOrigins } from '../check-robots.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { collect, flag, listOption, textOption } from './option-values.js'
import { readStdin, stdinUse } from './stdin-rule.js'

export function declare(command: Command): Command {
  return command
    .argument('[url...]', 'URLs; - or nothing for lines on stdin')
    .option('--file <file>', 'the robots.txt to read; without it that of each URL is fetched')
    .option('--allow-address <range>', 'let requests reach loopback, private, or a CIDR range; may be repeated', collect)
    .option('--agent <name>', 'name of a crawler; may be given several times (default: http.agent.name and http.robots.agents)', collect)
    .addOption(new Option('--input <form>', 'how lines are read: json is one JSON string a line').choices(['lines', 'json']).default('lines'))
    .option('--strict', 'fail at the first line that cannot be read')
    .addHelpText(
      'after',
      "\nExample:\n  printf 'User-agent: *\\nDisallow: /private\\n' > r.txt && millrace robots --file r.txt --agent mybot http://example.org/private/a",
    )
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const allowed = listOption(options, 'allowAddress')
  const resolved = context.configure(undefined, allowed.length === 0 ? {} : { 'http.allow.address': allowed })
  const counters = new Counters()
  const { rulesFor, close } = await rulesSource(context, options, resolved)
  const { log, stdout, signal } = context
  const job: CheckRobotsJob = { rulesFor, counters, log, isJsonInput: options.input === 'json', isStrict: flag(options, 'strict') }
  try {
    await pipeline(inputOf(context, args), checkRobotsLines(job), stdout, { signal, end: false })
  } finally {
    close()
  }
  log.info(counters.toJSON(), 'done')
  return exitStatus.done
}

async function rulesSource(
  context: CommandContext,
  options: CommandOptions,
  { config }: ResolvedConfig,
): Promise<{ readonly rulesFor: CheckRobotsJob['rulesFor']; readonly close: () => void }> {
  const named = listOption(options, 'agent').flatMap(name => name.split(','))
  const agentNames = named.length > 0 ? named : agentNamesOf(config.http)
  const file = textOption(options, 'file')
  if (file !== undefined) return { rulesFor: rulesFromFile(parseRobots(await readRobotsFile(file)).forAgents(agentNames)), close: () => undefined }
  const { clock, signal } = context
  const client = createHttpClient({ config: config.http, clock })
  return { rulesFor: rulesFromOrigins({ client, config, clock, agentNames, signal }), close: () => client.close() }
}

async function readRobotsFile(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file)
  } catch (cause) {
    throw new CrawlError('USAGE', `--file ${file} cannot be read`, { cause })
  }
}

async function* inputOf({ stdin, signal }: CommandContext, args: readonly string[]): AsyncGenerator<Uint8Array | string> {
  for (const url of args) if (url !== '-') yield `${url}\n`
  const use = stdinUse(args)
  if (use !== 'none') yield* readStdin(stdin, use, { signal })
  else if (args.length === 0) throw new CrawlError('USAGE', 'no URLs: name some, or pipe them in')
}
