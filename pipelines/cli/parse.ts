import type { Command } from 'commander'
import { oldestNeeding, Segment } from '../../lib/segment/segment.js'
import { createPagePool } from '../page-pool.js'
import { parseSegment } from '../parse.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf, printJson, segmentPath } from './job-context.js'
import { numberOption, requiredArgument, textOption, wholeNumber } from './option-values.js'

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .argument('[segment]', 'the segment; without one, the oldest that was fetched and not parsed')
    .option('--workers <n>', 'worker threads; 0 parses on the main thread', wholeNumber)
    .option('--rules <file>', 'URL filter rules (Nutch: urlfilter.regex.file)')
    .addHelpText('after', '\nExample:\n  millrace parse crawl')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const [folder, name] = [requiredArgument(args, 0, 'dir'), args[1]]
  const job = jobContextOf(context, folder, 'parse', {
    'millrace.workers': numberOption(options, 'workers'),
    'urlfilter.regex.file': textOption(options, 'rules'),
  })
  const segment = name === undefined ? await oldestNeeding('parse', job.folder.segments) : await Segment.open(segmentPath(job, name))
  if (segment === undefined) {
    context.log.info({}, 'no segment waits to be parsed')
    return exitStatus.nothing
  }
  const pool = createPagePool(job.config)
  try {
    printJson(context, await parseSegment({ context: job, segment, pool }))
  } finally {
    await pool.close()
  }
  return exitStatus.done
}
