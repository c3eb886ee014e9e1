import type { Command } from 'commander'
import { oldestNeeding, Segment } from '../../lib/segment/segment.js'
import { fetchSegment } from '../fetch.js'
import { createFetcher } from '../fetcher.js'
import { urlRulesOf } from '../job.js'
import { createPagePool } from '../page-pool.js'
import { parseSegment } from '../parse.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { fetchFlags, withFetchOptions } from './fetch-options.js'
import { jobContextOf, printJson, segmentPath } from './job-context.js'
import { flag, requiredArgument } from './option-values.js'

export function declare(command: Command): Command {
  return withFetchOptions(
    command
      .argument('<dir>', "the crawl's folder")
      .argument('[segment]', 'the segment; without one, the oldest that is not fetched')
      .option('--parse', 'parse each page as it comes (Nutch: fetcher.parse)'),
  ).addHelpText('after', '\nExample:\n  millrace fetch crawl')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const [folder, name] = [requiredArgument(args, 0, 'dir'), args[1]]
  const job = await jobContextOf(context, folder, 'fetch', fetchFlags(options))
  const segment = name === undefined ? await oldestNeeding('fetch', job.folder) : await Segment.open(segmentPath(job, name))
  if (segment === undefined) {
    context.log.info({}, 'no segment waits to be fetched')
    return exitStatus.nothing
  }
  const { fetcher, client, listing } = createFetcher(job, urlRulesOf(job))
  const pool = createPagePool(job.config, job.plugins)
  const isParsing = flag(options, 'parse')
  try {
    const { politeness: _, ...report } = await fetchSegment({
      context: { ...job, signal: undefined },
      segment,
      fetcher,
      listing,
      pool,
      isParsing,
      stopTaking: context.signal,
    })
    // Ends the step: pages that an earlier run had stored and not parsed are parsed now.
    if (isParsing && (await segment.steps()).fetch !== undefined) await parseSegment({ context: job, segment, pool })
    printJson(context, { ...report, counts: job.counters })
  } finally {
    client.close()
    await pool.close()
  }
  return exitStatus.done
}
