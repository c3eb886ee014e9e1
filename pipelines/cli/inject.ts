import type { Command } from 'commander'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { inject } from '../inject.js'
import { urlRulesOf } from '../job.js'
import { listSeedFiles, removeSpooled, spoolSeeds } from '../seed-files.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf, printJson } from './job-context.js'
import { flag, requiredArgument, textOption } from './option-values.js'
import { readStdin, stdinUse } from './stdin-rule.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .argument('[file...]', 'seed files or folders of them; - or nothing for stdin')
    .option('--overwrite', 'a seed replaces the record it meets')
    .option('--update', "a seed's metadata, score and interval go into the record it meets")
    .option('--no-filter', 'inject what the URL filters reject too')
    .option('--no-normalize', 'take URLs as they stand')
    .option('--rules <file>', 'URL filter rules (Nutch: urlfilter.regex.file)')
    .option('--strict', 'refuse all seeds if one line cannot be used')
    .addHelpText('after', '\nExample:\n  echo http://example.org/ | millrace inject crawl')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const folder = requiredArgument(args, 0, 'dir')
  const names = args.slice(1)
  const job = await jobContextOf(context, folder, 'inject', { 'urlfilter.regex.file': textOption(options, 'rules') })
  const use = stdinUse(names, context.stdinKind)
  if (use === 'none' && names.length === 0) throw new CrawlError('USAGE', 'no seeds: name a file, or pipe them in')
  const files = await listSeedFiles(
    names.filter(name => name !== '-'),
    job.folder.spool,
  )
  if (use !== 'none') files.push(await spoolSeeds(readStdin(context.stdin, use, { signal: context.signal }), job.folder.spool))
  const rules = urlRulesOf(job, {
    isFiltering: options.filter !== false,
    isNormalizing: options.normalize !== false,
    trapCounters: job.counters,
  })
  const report = await inject({
    context: job,
    files,
    rules: { normalize: raw => rules.normalize(raw, 'inject'), accepts: url => rules.accepts(url) },
    isOverwriting: flag(options, 'overwrite'),
    isUpdating: flag(options, 'update'),
    isStrict: flag(options, 'strict'),
    rulesHash: rules.fingerprint,
  })
  await removeSpooled(files, job.folder.spool)
  printJson(context, report)
  return exitStatus.done
}
