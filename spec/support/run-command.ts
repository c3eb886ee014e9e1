import { Readable, Writable } from 'node:stream'
import { Command } from 'commander'
import { resolveConfig } from '../../lib/config/resolve-config.js'
import { type Clock, clockStartingAt, ManualClock, systemClock } from '../../lib/log/clock.js'
import type { LogFields, Logger } from '../../lib/log/logger.js'
import type { CommandContext, CommandOptions } from '../../pipelines/cli/command.js'
import { commands } from '../../pipelines/cli/commands.js'
import { readConfigLayers } from '../../pipelines/cli/config-layers.js'
import { collect, definitions } from '../../pipelines/cli/option-values.js'
import { specTimeMs } from './job-fixture.js'

export interface CommandRun {
  readonly status: number
  readonly stdout: string
  /** Log lines: level, message, fields as JSON. */
  readonly log: readonly string[]
  json<T = Record<string, unknown>>(): T
}

export interface CommandRunOptions {
  /** @defaultValue stands at `specTimeMs` */
  readonly clock?: Clock
  readonly stdin?: string
  /** Aborted as by SIGTERM. */
  readonly signal?: AbortSignal
}

/** Runs a command of the program within this process: a hundred times faster than from outside. Errors are thrown as they are. */
export async function runCommand(argv: readonly string[], options: CommandRunOptions = {}): Promise<CommandRun> {
  const [name, ...rest] = argv
  const entry = commands.find(command => command.name === name)
  if (entry === undefined) throw new Error(`there is no command ${name}`)
  const module = await entry.load()
  const command = module.declare(new Command(entry.name).option('-D, --define <name=value>', 'as in the program', collect)).exitOverride()
  command.configureOutput({ writeErr: () => undefined })
  command.parse(rest, { from: 'user' })
  const parsed: CommandOptions = command.opts()
  const log: string[] = []
  const out = collector()
  const status = await module.run(contextOf(parsed, out.stream, log, options), command.args, parsed)
  const stdout = out.text()
  return { status, stdout, log, json: <T>() => JSON.parse(stdout) as T } // the caller knows what the command prints
}

function contextOf(
  options: CommandOptions,
  stdout: Writable,
  log: string[],
  { clock = new ManualClock(specTimeMs), stdin = '', signal = new AbortController().signal }: CommandRunOptions,
): CommandContext {
  return {
    stdin: Readable.from([stdin]),
    stdout,
    stderr: collector().stream,
    log: logger(log),
    clock,
    pacingClock: clock === systemClock ? clock : clockStartingAt(clock.nowMs()),
    signal,
    configure: (folder, flags = {}) =>
      resolveConfig([...readConfigLayers(folder), { source: '-D', values: definitions(options) }, { source: 'flags', values: flags }]),
  }
}

function collector(): { readonly stream: Writable; text(): string } {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString() }
}

function logger(lines: string[]): Logger {
  const write = (level: string) => (fields: LogFields, message: string) => void lines.push(`${level} ${message} ${JSON.stringify(fields)}`)
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}
