import { pipeline } from 'node:stream/promises'
import { type Command, Option } from 'commander'
import type { Config } from '../../lib/config/options.js'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { Counters } from '../../lib/log/counters.js'
import type { CheckUrlsJob } from '../check-urls.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { loadCountedPlugins } from './job-context.js'
import { flag } from './option-values.js'
import { readStdin, stdinUse } from './stdin-rule.js'

/** Options that `normalize` and `filter` have in common. */
export function withCheckOptions(command: Command): Command {
  return command
    .argument('[url...]', 'URLs; - or nothing for lines on stdin: URLs, seeds or records')
    .option('--explain', 'print for each line what was decided, with each rule that changed or rejected it')
    .addOption(new Option('--input <form>', 'how lines are read: json is one JSON string a line').choices(['lines', 'json']).default('lines'))
    .option('--strict', 'fail at the first line that cannot be read')
}

type MakeCheck = (config: Config, job: CheckUrlsJob) => (chunks: AsyncIterable<Uint8Array | string>) => AsyncIterable<string>

/** Runs a check over the URLs named, or over stdin, and reports its counts. */
export async function runCheck(
  context: CommandContext,
  args: readonly string[],
  options: CommandOptions,
  flags: Readonly<Record<string, unknown>>,
  makeCheck: MakeCheck,
): Promise<ExitStatus> {
  const { config } = context.configure(undefined, flags)
  const { clock, log, signal, stdout } = context
  const counters = new Counters()
  const check = makeCheck(config, {
    config,
    plugins: await loadCountedPlugins(config, counters, log),
    counters,
    log,
    nowMs: clock.nowMs(),
    isExplaining: flag(options, 'explain'),
    isJsonInput: options.input === 'json',
    isStrict: flag(options, 'strict'),
  })
  await pipeline(inputOf(context, args), check, stdout, { signal, end: false })
  log.info(counters.toJSON(), 'done')
  return exitStatus.done
}

async function* inputOf({ stdin, signal }: CommandContext, args: readonly string[]): AsyncGenerator<Uint8Array | string> {
  for (const url of args) if (url !== '-') yield `${url}\n`
  const use = stdinUse(args)
  if (use !== 'none') yield* readStdin(stdin, use, { signal })
  else if (args.length === 0) throw new CrawlError('USAGE', 'no URLs: name some, or pipe them in')
}
