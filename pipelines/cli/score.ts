import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { datumToLine } from '../../lib/record/datum-json.js'
import type { CrawlDatum } from '../../lib/record/records.js'
import { chain } from '../../lib/stream/chain.js'
import { mapRecords } from '../../lib/stream/stage.js'
import { normalizeUrls } from '../../lib/url/url-stages.js'
import { urlRulesOf } from '../job.js'
import { readSeeds } from '../read-seeds.js'
import { scoreRecords } from '../stages.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf } from './job-context.js'
import { readStdin } from './stdin-rule.js'

export function declare(command: Command): Command {
  return command.addHelpText(
    'after',
    "\nReads seeds or records on stdin.\n\nExample:\n  echo 'http://example.org/' | millrace normalize | millrace score",
  )
}

export async function run(context: CommandContext, _args: readonly string[], _options: CommandOptions): Promise<ExitStatus> {
  const job = await jobContextOf(context, '.', 'score')
  const { normalizers } = urlRulesOf(job)
  await pipeline(
    readStdin(context.stdin, 'asked', { signal: context.signal }),
    readSeeds(job),
    ...chain(
      normalizeUrls<CrawlDatum>(normalizers, 'inject'),
      scoreRecords(job.scoring),
      mapRecords((datum: CrawlDatum) => datumToLine(datum)),
    ),
    context.stdout,
    { signal: context.signal, end: false },
  )
  return exitStatus.done
}
