import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { suggestion } from '../../lib/config/suggestion.js'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { createFetcher } from '../fetcher.js'
import { type JobContext, urlRulesOf } from '../job.js'
import { pluginLines } from '../plugin-stage.js'
import { dedupKeyLines, fetchLines, invertKeyLines, parseLines } from '../shell-stages.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { fetchFlags, withFetchOptions } from './fetch-options.js'
import { jobContextOf } from './job-context.js'
import { flag, textOption } from './option-values.js'
import { readStdin } from './stdin-rule.js'

export function declare(command: Command): Command {
  return withFetchOptions(
    command
      .argument(
        '<stage>',
        "fetch: URLs to pages; parse: pages to parses and links; dedup, invertlinks: what their reducers read; or a plugin's stage",
      )
      .option('--warc <folder>', 'fetch: keep content in WARC files there, and refer to them; parse: read it from there')
      .option('--strict', 'fail at the first line that cannot be read'),
  ).addHelpText('after', '\nExample:\n  echo http://example.org/ | millrace stage fetch | millrace stage parse')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const job = await jobContextOf(context, '.', 'stage', fetchFlags(options))
  const input = readStdin(context.stdin, 'asked', { signal: context.signal })
  const shell = { context: job, warcFolder: textOption(options, 'warc'), isStrict: flag(options, 'strict') }
  const end = { signal: context.signal, end: false }
  switch (args[0]) {
    case 'fetch': {
      const rules = urlRulesOf(job)
      const { fetcher, client } = createFetcher(job, rules)
      await pipeline(input, fetchLines(shell, rules, fetcher), context.stdout, end).finally(() => client.close())
      break
    }
    case 'parse':
      await pipeline(input, parseLines(shell, urlRulesOf(job)), context.stdout, end)
      break
    case 'dedup':
      await pipeline(input, dedupKeyLines(shell), context.stdout, end)
      break
    case 'invertlinks':
      await pipeline(input, invertKeyLines(shell, urlRulesOf(job)), context.stdout, end)
      break
    default:
      await pipeline(input, pluginLines(shell, pluginStage(job, args[0] ?? '')), context.stdout, end)
  }
  context.log.info(job.counters.toJSON(), 'done')
  return exitStatus.done
}

/** @throws {CrawlError} USAGE */
function pluginStage({ plugins }: JobContext, name: string): JobContext['plugins']['stages'][number] {
  const found = plugins.stages.find(({ plugin }) => plugin.name === name)
  if (found !== undefined) return found
  const known = ['fetch', 'parse', 'dedup', 'invertlinks', ...plugins.stages.map(({ plugin }) => plugin.name)]
  throw new CrawlError('USAGE', `there is no stage ${name}${suggestion(name, known)}; known are ${known.join(', ')}`)
}
