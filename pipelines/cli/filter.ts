import type { Command } from 'commander'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { filterNameOf } from '../../lib/url/chain-names.js'
import { createTrapWatch } from '../../lib/url/traps/trap-watch.js'
import { filterLines } from '../check-urls.js'
import { loadFilters } from '../url-rules.js'
import { runCheck, withCheckOptions } from './check-command.js'
import type { CommandContext, CommandOptions, ExitStatus } from './command.js'
import { textOption } from './option-values.js'

const ruleFileProperties = {
  regex: 'urlfilter.regex.file',
  automaton: 'urlfilter.automaton.file',
  prefix: 'urlfilter.prefix.file',
  suffix: 'urlfilter.suffix.file',
  domain: 'urlfilter.domain.file',
  domaindenylist: 'urlfilter.domaindenylist.file',
  fast: 'urlfilter.fast.file',
} as const

export function declare(command: Command): Command {
  return withCheckOptions(command)
    .option('--chain <names>', 'run these filters: regex, automaton, prefix, suffix, domain, domaindenylist, fast, validator')
    .option('--rules <file>', 'rules of the filter that takes some (regex where there are several)')
    .addHelpText('after', "\nExample:\n  printf 'http://example.org/\\nhttp://example.org/logo.png\\n' | millrace filter --explain")
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const chain = textOption(options, 'chain')?.split(',')
  return runCheck(context, args, options, flagsOf(textOption(options, 'rules'), chain), (config, job) =>
    filterLines(job, loadFilters(config.url, context.log, chain, job.plugins), createTrapWatch(config.url, job.counters)),
  )
}

/** @throws {CrawlError} USAGE if no filter of the chain has a rule file */
function flagsOf(file: string | undefined, chain: readonly string[] | undefined): Record<string, string> {
  if (file === undefined) return {}
  const names = chain === undefined ? ['regex'] : chain.map(name => filterNameOf(name) ?? name)
  const withFile = names.filter((name): name is keyof typeof ruleFileProperties => Object.hasOwn(ruleFileProperties, name))
  const name = withFile.includes('regex') ? 'regex' : withFile[0]
  if (name === undefined) throw new CrawlError('USAGE', `--rules: none of ${names.join(', ')} has a rule file`)
  return { [ruleFileProperties[name]]: file }
}
