import type { Command } from 'commander'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { type FreegenJob, freegen, freeItems } from '../freegen.js'
import { urlRulesOf } from '../job.js'
import { listSeedFiles, removeSpooled, spoolSeeds } from '../seed-files.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf } from './job-context.js'
import { flag, numberOption, requiredArgument, textOption, wholeNumber } from './option-values.js'
import { printLine } from './print-line.js'
import { readStdin, stdinUse } from './stdin-rule.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder; made if it is not there")
    .argument('[file...]', 'lists of URLs, as for inject; - or nothing for stdin')
    .option('--filter', 'leave out what the URL filters reject')
    .option('--normalize', 'normalize with the normalizers of the configuration')
    .option('--lists <n>', 'split into n lists with no host in two of them, each a segment of its own', wholeNumber)
    .option('--rules <file>', 'URL filter rules (Nutch: urlfilter.regex.file)')
    .option('--dry-run', 'print the URLs of the list, and make no segment')
    .addHelpText(
      'after',
      '\nPrints the name of each segment that was made. Does not look into the CrawlDb.\n\nExample:\n  millrace freegen crawl seeds.txt',
    )
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const [folder, names] = [requiredArgument(args, 0, 'dir'), args.slice(1)]
  const job = await jobContextOf(context, folder, 'freegen', { 'urlfilter.regex.file': textOption(options, 'rules') })
  const use = stdinUse(names)
  if (use === 'none' && names.length === 0) throw new CrawlError('USAGE', 'no URLs: name a file, or pipe them in')
  const files = await listSeedFiles(
    names.filter(name => name !== '-'),
    job.folder.spool,
  )
  if (use !== 'none') files.push(await spoolSeeds(readStdin(context.stdin, use, { signal: context.signal }), job.folder.spool))
  const rules = urlRulesOf(job, { isFiltering: flag(options, 'filter'), isNormalizing: flag(options, 'normalize') })
  const freegenJob: FreegenJob = {
    context: job,
    files,
    rules: { normalize: raw => rules.normalize(raw, 'inject'), accepts: url => rules.accepts(url) },
    lists: numberOption(options, 'lists'),
    dealtForm: rules.formIn('partition'),
  }
  try {
    return await (flag(options, 'dryRun') ? preview(context, freegenJob) : makeLists(context, freegenJob))
  } finally {
    await removeSpooled(files, job.folder.spool)
  }
}

async function makeLists(context: CommandContext, job: FreegenJob): Promise<ExitStatus> {
  const made = await freegen(job)
  for (const { segment } of made) context.stdout.write(`${segment}\n`)
  context.log.info({ items: made.reduce((sum, { items }) => sum + items, 0), ...job.context.counters.toJSON() }, 'generated')
  return made.length === 0 ? exitStatus.nothing : exitStatus.done
}

async function preview(context: CommandContext, job: FreegenJob): Promise<ExitStatus> {
  let count = 0
  for await (const items of freeItems(job, context.clock.nowMs())) {
    count += items.length
    await printLine(context, items.map(({ url }) => `${url}\n`).join(''))
  }
  return count === 0 ? exitStatus.nothing : exitStatus.done
}
