import { insteadOf } from '../../lib/config/nutch-instead.js'
import { resolveConfig } from '../../lib/config/resolve-config.js'
import { clockStartingAt, ManualClock, steadyClock, systemClock } from '../../lib/log/clock.js'
import type { Logger } from '../../lib/log/logger.js'
import type { CommandContext, CommandOptions } from './command.js'
import { exitStatus } from './command.js'
import { readConfigLayers } from './config-layers.js'
import { definitions, flag, numberOption, textOption } from './option-values.js'
import { createStderrLogger } from './stderr-logger.js'

/** The streams and signals that a command has. */
export type CommandIo = Pick<CommandContext, 'stdin' | 'stdout' | 'stderr' | 'signal' | 'stdinKind'>

/** Those of this process. */
export function processIo(): CommandIo {
  return { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, signal: stopSignal() }
}

/** The context of a command: its streams, its signals, and the options common to all commands. */
export function createContext(options: CommandOptions, io: CommandIo = processIo()): CommandContext {
  const nowMs = numberOption(options, 'now')
  const log = createStderrLogger({
    isJson: options.logFormat === 'json',
    level: flag(options, 'quiet') ? 'error' : (textOption(options, 'logLevel') ?? 'info'),
    ...(io.stderr === process.stderr ? {} : { stream: io.stderr }),
  })
  const told = new Set<string>()
  return {
    ...io,
    log,
    clock: nowMs === undefined ? systemClock : new ManualClock(nowMs),
    pacingClock: nowMs === undefined ? steadyClock() : clockStartingAt(nowMs),
    configure(folder, flags = {}) {
      const resolved = resolveConfig([
        ...readConfigLayers(folder, textOption(options, 'config')),
        { source: '-D', values: definitions(options) },
        { source: 'flags', values: flags },
      ])
      for (const name of resolved.unknown) if (!told.has(name)) tellUnknown(log, name)
      for (const name of resolved.unknown) told.add(name)
      return resolved
    },
  }
}

/** What a property of nutch-site.xml that is no option is to be replaced by, if that is known. */
function tellUnknown(log: Logger, name: string): void {
  const instead = insteadOf(name)
  log.warn({ option: name, ...(instead === undefined ? {} : { instead }) }, 'nutch-site.xml names a property that Millrace does not have')
}

/** Aborts at the first SIGINT or SIGTERM; the second ends the process at once, which is safe at any point. */
function stopSignal(): AbortSignal {
  const controller = new AbortController()
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(exitStatus.stopped)
    controller.abort(new Error(`stopped by ${name}`))
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return controller.signal
}
