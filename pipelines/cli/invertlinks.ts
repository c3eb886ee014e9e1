import type { Command } from 'commander'
import { withLinkDb } from '../../lib/linkdb/open.js'
import { listSegments } from '../../lib/segment/segment.js'
import { invertInto, segmentsToInvert } from '../invertlinks.js'
import { urlRulesOf } from '../job.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf, openEndedSegments, printJson } from './job-context.js'
import { requiredArgument } from './option-values.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .argument('[segment...]', 'segments to invert; without one, all that were parsed and not inverted')
    .option('--no-filter', 'keep links that the URL filters reject')
    .option('--no-normalize', 'take links as the parse left them')
    .addHelpText('after', '\nExample:\n  millrace invertlinks crawl')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const [folder, names] = [requiredArgument(args, 0, 'dir'), args.slice(1)]
  const job = await jobContextOf(context, folder, 'invertlinks')
  const rules = urlRulesOf(job, { isFiltering: options.filter !== false, isNormalizing: options.normalize !== false })
  if (names.length === 0 && (await listSegments(job.folder.segments)).length === 0) return exitStatus.nothing // and no LinkDb is made
  return withLinkDb({ folder, config: job.config.db, isCreating: true }, async linkDb => {
    const segments = names.length > 0 ? await openEndedSegments(job, names, true) : await segmentsToInvert(linkDb, job)
    if (segments.length === 0) return exitStatus.nothing
    const keepTarget = rules.keepLink('linkdb')
    printJson(context, await invertInto(linkDb, { context: job, segments, keepTarget }))
    return exitStatus.done
  })
}
