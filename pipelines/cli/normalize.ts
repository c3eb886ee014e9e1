import { type Command, Option } from 'commander'
import { type UrlScope, urlScopes } from '../../lib/config/url-options.js'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { normalizerNameOf } from '../../lib/url/chain-names.js'
import { normalizeLines } from '../check-urls.js'
import { loadNormalizers } from '../url-rules.js'
import { runCheck, withCheckOptions } from './check-command.js'
import type { CommandContext, CommandOptions, ExitStatus } from './command.js'
import { textOption } from './option-values.js'

const ruleFileProperties = {
  regex: 'urlnormalizer.regex.file',
  host: 'urlnormalizer.hosts.file',
  slash: 'urlnormalizer.slashes.file',
  protocol: 'urlnormalizer.protocols.file',
} as const

export function declare(command: Command): Command {
  return withCheckOptions(command)
    .addOption(new Option('--scope <scope>', 'where the URLs come from: picks chain and rules').choices(urlScopes).default('default'))
    .option('--chain <names>', 'run these normalizers, and print what they give: basic, regex, querystring, slash, host, protocol, ajax, pass')
    .option('--rules <file>', 'rules of the normalizer that takes some (regex where there are several)')
    .addHelpText('after', "\nExample:\n  echo 'HTTP://Example.ORG:80/a/../b;jsessionid=1' | millrace normalize --explain")
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const chain = textOption(options, 'chain')?.split(',')
  const scope = urlScopes.find(known => known === options.scope) as UrlScope // commander lets no other word through
  const flags = rulesFlag(textOption(options, 'rules'), chain)
  return runCheck(context, args, options, flags, (config, job) =>
    normalizeLines(job, loadNormalizers(config.url, context.log, chain, job.plugins), scope),
  )
}

/** @throws {CrawlError} USAGE if no normalizer of the chain has a rule file */
function rulesFlag(file: string | undefined, chain: readonly string[] | undefined): Record<string, string> {
  if (file === undefined) return {}
  const names = chain === undefined ? ['regex'] : chain.map(name => normalizerNameOf(name) ?? name)
  const withFile = names.filter((name): name is keyof typeof ruleFileProperties => Object.hasOwn(ruleFileProperties, name))
  const name = withFile.includes('regex') ? 'regex' : withFile[0]
  if (name === undefined) throw new CrawlError('USAGE', `--rules: none of ${names.join(', ')} has a rule file`)
  return { [ruleFileProperties[name]]: file }
}
