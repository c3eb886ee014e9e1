import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { askHolder } from '../../lib/control/ask-holder.js'
import { listenForCommands, type RemoteStreams } from '../../lib/control/control-server.js'
import type { ControlRequest } from '../../lib/control/request.js'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import { withSnapshot } from '../../lib/crawldb/snapshot-view.js'
import { messageOf } from '../../lib/errors/crawl-error.js'
import type { ServeDb } from '../job.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import type { CommandEntry } from './commands.js'
import { createContext } from './context.js'
import { listOption } from './option-values.js'
import { runModule } from './run-module.js'
import { stdinKind } from './stdin-rule.js'

/** Options that name files: they mean those of the asker's working folder. */
const fileOptions = ['rules', 'config', 'seeds', 'file']

/** Runs the command in the process that holds the db, if one listens. @returns its exit status, undefined if none does */
export async function askIfHeld(
  { name, inHolder }: CommandEntry,
  args: readonly string[],
  options: CommandOptions,
  { stdin, stdout, stderr, signal }: CommandContext,
): Promise<ExitStatus | undefined> {
  const [folder] = args
  if (inHolder === undefined || folder === undefined) return undefined
  const request: ControlRequest = {
    command: name,
    args: args.map((arg, index) => (index < inHolder.paths && arg !== '-' ? resolve(arg) : arg)),
    options: withAbsolutePaths(options),
    stdinKind: stdinKind(),
    isTerminal: 'isTTY' in stdout && stdout.isTTY === true,
  }
  return (await askHolder(resolve(folder), request, { stdin, stdout, stderr, signal })) as ExitStatus | undefined // a command of this program gave it
}

function withAbsolutePaths(options: CommandOptions): CommandOptions {
  const absolute = (value: unknown): unknown => (typeof value === 'string' ? resolve(value) : Array.isArray(value) ? value.map(absolute) : value)
  const changed = Object.fromEntries(fileOptions.filter(name => name in options).map(name => [name, absolute(options[name])]))
  const define = listOption(options, 'define').map(pair => {
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    return name.endsWith('.file') && existsSync(value) ? `${name}=${resolve(value)}` : pair
  })
  return { ...options, ...changed, ...(define.length > 0 ? { define } : {}) }
}

/** Answers other processes for as long as this one holds the db of `folder`. A folder where no socket can be made is worked on without. */
export function serveCommands(folder: string, commands: readonly CommandEntry[], holder: CommandContext): ServeDb {
  return async crawlDb => {
    try {
      const server = await listenForCommands(folder, (request, streams) => answer(request, streams, crawlDb, commands, holder), holder.log)
      return () => server.close()
    } catch (error) {
      holder.log.warn({ folder, reason: messageOf(error) }, 'other processes cannot ask this one')
      return async () => undefined
    }
  }
}

async function answer(
  { command, args, options, stdinKind }: ControlRequest,
  { stdin, stdout, stderr, gone }: RemoteStreams,
  crawlDb: CrawlDb,
  commands: readonly CommandEntry[],
  holder: CommandContext,
): Promise<ExitStatus> {
  const entry = commands.find(({ name }) => name === command)
  if (entry?.inHolder === undefined) {
    stderr.write(`millrace: ${command} cannot run while another process holds the db\n`)
    return exitStatus.failed
  }
  const isWriting = entry.inHolder.access === 'writes'
  const signal = isWriting ? new AbortController().signal : gone // a job that has begun to write is brought to its end
  const context = {
    ...createContext(options, { stdin, stdout, stderr, stdinKind, signal }),
    ...(holder.live === undefined ? {} : { live: holder.live }),
  }
  const run = (heldDb: CrawlDb): Promise<ExitStatus> => runModule(entry, { ...context, heldDb }, args, options)
  if (!isWriting) return withSnapshot(crawlDb, run)
  const status = await crawlDb.jobs.run(() => run(crawlDb))
  holder.live?.written()
  return status
}
