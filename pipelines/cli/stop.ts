import { resolve } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { Command } from 'commander'
import { askHolder } from '../../lib/control/ask-holder.js'
import { isAlive } from '../../lib/control/is-alive.js'
import { CrawlError, messageOf, systemCodeOf } from '../../lib/errors/crawl-error.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { durationMs, flag, numberOption, requiredArgument } from './option-values.js'

const lookAgainMs = 50

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .option('--at-once', 'do not let it finish what is in flight; safe all the same')
    .option('--wait <duration>', 'how long its end is waited for', durationMs, 60_000)
    .addHelpText('after', '\nExit status 1: nothing runs there.\n\nExample:\n  millrace stop crawl')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const folder = resolve(requiredArgument(args, 0, 'dir'))
  const pid = await holderOf(folder)
  if (pid === undefined) {
    context.log.info({ folder }, 'nothing runs there')
    return exitStatus.nothing
  }
  signal(pid)
  if (flag(options, 'atOnce')) {
    await wait(lookAgainMs)
    if (isAlive(pid)) signal(pid)
  }
  const untilMs = performance.now() + (numberOption(options, 'wait') ?? 0)
  while (isAlive(pid)) {
    if (performance.now() > untilMs) throw new CrawlError('CONTROL_FAILED', `process ${pid} was told to stop and has not ended yet`)
    await wait(lookAgainMs, undefined, { signal: context.signal })
  }
  context.log.info({ folder, pid }, 'stopped')
  return exitStatus.done
}

/** The process that answers for the folder: its answer proves that the number is no dead one's. */
async function holderOf(folder: string): Promise<number | undefined> {
  let text = ''
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString()
      done()
    },
  })
  const request = { command: 'status', args: [folder], options: { json: true }, stdinKind: 'silent', isTerminal: false } as const
  const status = await askHolder(folder, request, {
    stdin: Readable.from([]),
    stdout,
    stderr: new Writable({ write: (_chunk, _encoding, done) => done() }),
  })
  if (status === undefined) return undefined
  try {
    const { pid } = JSON.parse(text) as { pid: number } // the status command of the same program
    return pid
  } catch (cause) {
    throw new CrawlError('CONTROL_FAILED', `the process that holds ${folder} gave no answer that can be read: ${messageOf(cause)}`, { cause })
  }
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM')
  } catch (error) {
    if (systemCodeOf(error) !== 'ESRCH') throw error
  }
}
