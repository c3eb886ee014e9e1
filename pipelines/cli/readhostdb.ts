import type { Command } from 'commander'
import { allHostFacts, hostFactsSync } from '../../lib/crawldb/host-table.js'
import { type HostFacts, hostVariable } from '../../lib/crawldb/rules/host-facts.js'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { formatLine } from '../../lib/record/line-format.js'
import { expressionOver } from '../expressions.js'
import { hostFactsToJson } from '../host-db.js'
import { withJobDb } from '../job.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf } from './job-context.js'
import { flag, requiredArgument, textOption } from './option-values.js'
import { printLine } from './print-line.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .option('--get <host>', 'what is known of one host')
    .option('--expr <expression>', 'hosts for which it holds, such as: dnsFailures > 2 || pct95._rs_ > 5000')
    .option('--homepages', 'print their homepages only')
    .option('--hostnames', 'print their names only')
    .addHelpText(
      'after',
      '\nA line of JSON for each host, or for one.\n\nExample:\n  millrace updatehostdb crawl && millrace readhostdb crawl --get example.org',
    )
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const job = await jobContextOf(context, requiredArgument(args, 0, 'dir'), 'readhostdb')
  const percentiles = percentilesOf(job.config.db.hostPercentiles)
  const host = textOption(options, 'get')?.toLowerCase()
  const text = textOption(options, 'expr')
  const expression = text === undefined ? undefined : expressionOver(text, hostVariable)
  return withJobDb(job, async crawlDb => {
    if (crawlDb.state.keepsHosts !== true) throw new CrawlError('DB_MISSING', 'there is no HostDb: updatehostdb makes it')
    const one = host === undefined ? undefined : hostFactsSync(crawlDb.level, host)
    let count = 0
    for await (const facts of host === undefined ? allHostFacts(crawlDb.level) : one === undefined ? [] : [one]) {
      if (expression !== undefined && !expression.test(facts)) continue
      count++
      await printLine(context, format(facts, options, percentiles))
    }
    return count === 0 ? exitStatus.nothing : exitStatus.done
  })
}

function format(facts: HostFacts, options: CommandOptions, percentiles: readonly number[]): string {
  if (flag(options, 'hostnames')) return `${facts.host}\n`
  if (flag(options, 'homepages')) return facts.homepage === undefined ? '' : `${facts.homepage}\n`
  return formatLine(facts.host, hostFactsToJson(facts, percentiles))
}

/** @throws {CrawlError} CONFIG_INVALID */
function percentilesOf(texts: readonly string[]): number[] {
  const numbers = texts.map(Number)
  const wrong = texts.filter((_, index) => !((numbers[index] ?? Number.NaN) >= 0 && (numbers[index] ?? Number.NaN) <= 100))
  if (wrong.length > 0) throw new CrawlError('CONFIG_INVALID', `hostdb.percentiles: not within 0…100: ${wrong.join(', ')}`)
  return numbers
}
