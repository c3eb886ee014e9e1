import { createReadStream, existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { askHolder } from '../../lib/control/ask-holder.js'
import { listenForCommands, type RemoteStreams } from '../../lib/control/control-server.js'
import { isAlive } from '../../lib/control/is-alive.js'
import type { ControlRequest } from '../../lib/control/request.js'
import type { CrawlDb } from '../../lib/crawldb/crawl-db.js'
import { withSnapshot } from '../../lib/crawldb/snapshot-view.js'
import { messageOf } from '../../lib/errors/crawl-error.js'
import { CommitQueue } from '../../lib/store/commit-queue.js'
import { HolderFile } from '../../lib/store/holder.js'
import { longestLockWaitMs, lookAgainMs, type ServeDb } from '../job.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import type { CommandEntry } from './commands.js'
import { createContext } from './context.js'
import { listOption } from './option-values.js'
import { runModule } from './run-module.js'
import { stdinKind } from './stdin-rule.js'

/** Options that name files: they mean those of the asker's working folder. */
const fileOptions = ['rules', 'config', 'seeds', 'file', 'mapping']

/** Runs the command in the process that holds the db, if one listens. @returns its exit status, undefined if none does */
export async function askIfHeld(
  { name, inHolder }: CommandEntry,
  args: readonly string[],
  options: CommandOptions,
  { stdin, stdout, stderr, signal }: CommandContext,
): Promise<ExitStatus | undefined> {
  const [folder, ...others] = args
  if (inHolder === undefined || folder === undefined) return undefined
  const pipes = others.filter((arg, index) => isPath(arg, index + 1, inHolder) && isPipe(arg))
  const named = pipes.length === 0 ? args : [...args.filter(arg => arg !== '-' && !pipes.includes(arg)), '-']
  const request: ControlRequest = {
    command: name,
    args: named.map((arg, index) => (isPath(arg, index, inHolder) ? resolve(arg) : arg)),
    options: withAbsolutePaths(options),
    stdinKind: stdinKind(),
    isTerminal: 'isTTY' in stdout && stdout.isTTY === true,
  }
  const input = pipes.length === 0 ? stdin : Readable.from(bytesOf(pipes, args.includes('-') ? stdin : undefined))
  for (const untilMs = performance.now() + longestLockWaitMs; ; await sleep(lookAgainMs, undefined, { signal })) {
    const status = await askHolder(resolve(folder), request, { stdin: input, stdout, stderr, signal })
    if (status !== undefined || performance.now() > untilMs || !(await isHeld(folder))) return status as ExitStatus | undefined // a command of this program gave it
  }
}

/** Whether a process has the db: one that nobody can ask yet, or any more, is at its beginning or its end. */
async function isHeld(folder: string): Promise<boolean> {
  const holder = await new HolderFile(folder).read()
  return holder !== undefined && isAlive(holder.pid)
}

/** Whether a file is one that only this process can read, as `<(…)` and /dev/stdin are. */
function isPipe(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats !== undefined && !stats.isFile() && !stats.isDirectory()
}

async function* bytesOf(pipes: readonly string[], stdin: Readable | undefined): AsyncGenerator<Uint8Array> {
  for (const [index, pipe] of pipes.entries()) {
    if (index > 0) yield Buffer.from('\n') // a last line needs no end
    yield* createReadStream(pipe) as AsyncIterable<Buffer> // no encoding is set
  }
  if (stdin === undefined) return
  yield Buffer.from('\n')
  yield* stdin as AsyncIterable<Uint8Array>
}

function isPath(arg: string, index: number, { paths, takesSegments = false }: NonNullable<CommandEntry['inHolder']>): boolean {
  return index < paths ? arg !== '-' : takesSegments && arg.includes('/')
}

function withAbsolutePaths(options: CommandOptions): CommandOptions {
  const absolute = (value: unknown): unknown => (typeof value === 'string' ? resolve(value) : Array.isArray(value) ? value.map(absolute) : value)
  const changed = Object.fromEntries(fileOptions.filter(name => name in options).map(name => [name, absolute(options[name])]))
  const define = listOption(options, 'define').map(pair => {
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    const values = name === 'millrace.plugins' ? value.split(',') : name.endsWith('.file') ? [value] : []
    return values.length === 0 ? pair : `${name}=${values.map(path => (existsSync(path) ? resolve(path) : path)).join(',')}`
  })
  return { ...options, ...changed, ...(define.length > 0 ? { define } : {}) }
}

/** The program that answers: its commands, and what it runs itself. */
interface Holder {
  readonly commands: readonly CommandEntry[]
  readonly context: CommandContext
  /** The command that holds the db. */
  readonly command: string
  /** Where the commands that are alone take turns. */
  readonly turns: CommitQueue
}

/** Answers other processes for as long as `command` holds the db of `folder`. A folder where no socket can be made is worked on without. */
export function serveCommands(folder: string, commands: readonly CommandEntry[], context: CommandContext, command: string): ServeDb {
  const holder: Holder = { commands, context, command, turns: new CommitQueue() }
  return async crawlDb => {
    try {
      const server = await listenForCommands(folder, (request, streams) => answer(request, streams, crawlDb, holder), context.log)
      return () => server.close()
    } catch (error) {
      context.log.warn({ folder, reason: messageOf(error) }, 'other processes cannot ask this one')
      return async () => undefined
    }
  }
}

async function answer(
  { command, args, options, stdinKind }: ControlRequest,
  { stdin, stdout, stderr, gone }: RemoteStreams,
  crawlDb: CrawlDb,
  holder: Holder,
): Promise<ExitStatus> {
  const entry = holder.commands.find(({ name }) => name === command)
  const { access, isAlone = false } = entry?.inHolder ?? {}
  if (entry === undefined || access === undefined || (isAlone && command === holder.command)) {
    stderr.write(`millrace: ${command} cannot run while millrace ${holder.command} holds the db\n`)
    return exitStatus.failed
  }
  const { live } = holder.context
  const isWriting = access === 'writes'
  const signal = isWriting ? new AbortController().signal : gone // a job that has begun to write is brought to its end
  const context = {
    ...createContext(options, { stdin, stdout, stderr, stdinKind, signal }),
    ...(live === undefined ? {} : { live }),
  }
  const run = (heldDb: CrawlDb): Promise<ExitStatus> => runModule(entry, { ...context, heldDb }, args, options)
  if (isAlone) return holder.turns.run(() => withSnapshot(crawlDb, run))
  if (!isWriting) return withSnapshot(crawlDb, run)
  const status = await crawlDb.jobs.run(() => run(crawlDb))
  live?.written()
  return status
}
