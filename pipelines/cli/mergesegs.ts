import type { Command } from 'commander'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { listSegments, Segment } from '../../lib/segment/segment.js'
import { urlRulesOf } from '../job.js'
import { mergeSegments } from '../merge-segments.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf, printJson, segmentPath } from './job-context.js'
import { flag, numberOption, requiredArgument, textOption, wholeNumber } from './option-values.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .argument('[segment...]', 'segments to merge; without one, all')
    .option('--out <folder>', 'folder that gets the new segments; a CrawlDb that has seen the old ones must not be given these')
    .option('--filter', 'leave out URLs that the filters reject')
    .option('--normalize', 'normalize URLs')
    .option('--slice <n>', 'URLs of one new segment at most', wholeNumber)
    .option('--rules <file>', 'URL filter rules (Nutch: urlfilter.regex.file)')
    .addHelpText('after', '\nExample:\n  millrace mergesegs crawl --out merged/segments --filter')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const [folder, names] = [requiredArgument(args, 0, 'dir'), args.slice(1)]
  const outFolder = textOption(options, 'out')
  if (outFolder === undefined) throw new CrawlError('USAGE', '--out FOLDER is wanted')
  const urlsPerSlice = numberOption(options, 'slice')
  if (urlsPerSlice === 0) throw new CrawlError('USAGE', '--slice 0: at least one URL must fit')
  const job = await jobContextOf(context, folder, 'mergesegs', { 'urlfilter.regex.file': textOption(options, 'rules') })
  const segments =
    names.length === 0 ? await listSegments(job.folder.segments) : await Promise.all(names.map(name => Segment.open(segmentPath(job, name))))
  if (segments.length === 0) return exitStatus.nothing
  const [isFiltering, isNormalizing] = [flag(options, 'filter'), flag(options, 'normalize')]
  const rules = urlRulesOf(job, { isFiltering, isNormalizing })
  const merged = await mergeSegments({
    segments,
    outFolder,
    config: job.config,
    nowMs: context.clock.nowMs(),
    urlsPerSlice,
    keepUrl: isFiltering || isNormalizing ? rules.keepLink('default') : url => url,
    counters: job.counters,
    signal: context.signal,
  })
  for (const segment of merged) printJson(context, { segment })
  context.log.info(job.counters.toJSON(), 'merged')
  return exitStatus.done
}
