import { pipeline } from 'node:stream/promises'
import { Argument, type Command, Option } from 'commander'
import type { Config } from '../../lib/config/options.js'
import { type DedupGroup, dedupGroups } from '../../lib/crawldb/rules/dedup-groups.js'
import { parseCompareOrder } from '../../lib/crawldb/rules/dedup-rule.js'
import { Counters } from '../../lib/log/counters.js'
import type { Scoring } from '../../lib/score/create-scoring.js'
import { splitLines } from '../../lib/stream/split-lines.js'
import { dedupReducer, injectReducer, invertReducer, type LineReducer, updateReducer } from '../reduce-lines.js'
import { createSchedule, createScoring } from '../rules.js'
import { groupSortedLines } from '../sorted-lines.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { loadCountedPlugins } from './job-context.js'
import { flag, textOption } from './option-values.js'
import { readStdin } from './stdin-rule.js'

export function declare(command: Command): Command {
  return command
    .addArgument(new Argument('<job>', 'whose reducer').choices(['inject', 'updatedb', 'dedup', 'invertlinks']))
    .option('--overwrite', 'inject: a seed replaces the record it meets')
    .option('--update', "inject: a seed's metadata, score and interval go into the record it meets")
    .option('--no-additions', 'updatedb: add no URL that has no record')
    .addOption(new Option('--group <group>', 'dedup: look for duplicates within').choices(dedupGroups).default('none'))
    .option('--compare-order <criteria>', 'dedup: what decides which one is kept', 'score,fetchTime,urlLength')
    .option('--canonical', 'dedup: keep the page that others of its group name as canonical')
    .addHelpText(
      'after',
      '\nInput: lines on stdin, sorted by key.\n\nExample:\n  echo http://example.org/ | millrace normalize | LC_ALL=C sort | millrace reduce inject',
    )
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const { config } = context.configure(undefined, options.additions === false ? { 'db.update.additions.allowed': false } : {})
  const counters = new Counters()
  const scoring = createScoring(config, await loadCountedPlugins(config, counters, context.log))
  const reduce = reducerOf(args[0] ?? '', { config, scoring, nowMs: context.clock.nowMs() }, options)
  await pipeline(
    readStdin(context.stdin, 'asked', { signal: context.signal }),
    splitLines(),
    groupSortedLines,
    async function* reduceGroups(groups) {
      for await (const group of groups) yield* reduce(group)
    },
    context.stdout,
    { signal: context.signal, end: false },
  )
  return exitStatus.done
}

interface ReducerParts {
  readonly config: Config
  readonly scoring: Scoring
  readonly nowMs: number
}

function reducerOf(job: string, { config, scoring, nowMs }: ReducerParts, options: CommandOptions): LineReducer {
  const schedule = createSchedule(config)
  switch (job) {
    case 'inject':
      return injectReducer({ schedule, scoring, db: config.db, nowMs, overwrites: flag(options, 'overwrite'), updates: flag(options, 'update') })
    case 'updatedb':
      return updateReducer({ schedule, scoring, db: config.db, nowMs })
    case 'dedup':
      return dedupReducer({
        group: options.group as DedupGroup, // commander lets no other choice through
        order: parseCompareOrder(textOption(options, 'compareOrder') ?? ''),
        respectsCanonical: flag(options, 'canonical'),
      })
    default:
      return invertReducer(config.link.maxInlinks)
  }
}
