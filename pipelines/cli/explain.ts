import { type Command, Option } from 'commander'
import { type UrlScope, urlScopes } from '../../lib/config/url-options.js'
import { explainUrl } from '../explain/explain-url.js'
import { explanationToJson, formatExplanation } from '../explain/format-explanation.js'
import { urlRulesOf, withJobDb } from '../job.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf, printJson } from './job-context.js'
import { flag, requiredArgument, textOption } from './option-values.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .argument('<url>', 'the URL, as it stands anywhere')
    .addOption(new Option('--scope <scope>', 'where the URL is taken to come from').choices(urlScopes).default('default'))
    .option('--rules <file>', 'URL filter rules (Nutch: urlfilter.regex.file)')
    .option('--json', 'one JSON object instead of text')
    .addHelpText('after', '\nExit status 1: the URL is not in the CrawlDb.\n\nExample:\n  millrace explain crawl http://example.org/')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const [folder, given] = [requiredArgument(args, 0, 'dir'), requiredArgument(args, 1, 'url')]
  const job = await jobContextOf(context, folder, 'explain', { 'urlfilter.regex.file': textOption(options, 'rules') })
  const rules = urlRulesOf(job)
  const scope = options.scope as UrlScope // commander lets no other choice through
  const explanation = await withJobDb(job, crawlDb => explainUrl(crawlDb, { context: job, rules, given, scope }))
  if (flag(options, 'json')) printJson(context, explanationToJson(explanation))
  else context.stdout.write(formatExplanation(explanation))
  return explanation.record === undefined ? exitStatus.nothing : exitStatus.done
}
