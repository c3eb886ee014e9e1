import type { Command } from 'commander'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { forgetParse } from '../../lib/segment/forget-parse.js'
import { oldestNeeding, Segment } from '../../lib/segment/segment.js'
import { SegmentLock } from '../../lib/segment/segment-lock.js'
import { createPagePool } from '../page-pool.js'
import { parseSegment } from '../parse.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf, printJson, segmentPath } from './job-context.js'
import { flag, numberOption, requiredArgument, textOption, wholeNumber } from './option-values.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .argument('[segment]', 'the segment; without one, the oldest that was fetched and not parsed')
    .option('--again', 'with a segment: parse it once more, with the options as they are now; the CrawlDb keeps what it has taken in')
    .option('--workers <n>', 'worker threads; 0 parses on the main thread', wholeNumber)
    .option('--rules <file>', 'URL filter rules (Nutch: urlfilter.regex.file)')
    .addHelpText('after', '\nExample:\n  millrace parse crawl')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const [folder, name] = [requiredArgument(args, 0, 'dir'), args[1]]
  const job = await jobContextOf(context, folder, 'parse', {
    'millrace.workers': numberOption(options, 'workers'),
    'urlfilter.regex.file': textOption(options, 'rules'),
  })
  const segment = name === undefined ? await oldestNeeding('parse', job.folder) : await Segment.open(segmentPath(job, name))
  if (segment === undefined) {
    context.log.info({}, 'no segment waits to be parsed')
    return exitStatus.nothing
  }
  if (flag(options, 'again')) {
    if (name === undefined) throw new CrawlError('USAGE', '--again wants a segment')
    await SegmentLock.hold(job.folder.spool, segment.name, () => forgetParse(segment))
  }
  const pool = createPagePool(job.config, job.plugins)
  try {
    printJson(context, await parseSegment({ context: job, segment, pool }))
  } finally {
    await pool.close()
  }
  return exitStatus.done
}
