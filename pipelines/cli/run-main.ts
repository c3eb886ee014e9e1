import { readFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import { suggestion } from '../../lib/config/suggestion.js'
import { systemCodeOf } from '../../lib/errors/crawl-error.js'
import { CrawlStatus } from '../../lib/metrics/crawl-status.js'
import { diskErrorOf } from '../../lib/store/disk-errors.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { type CommandEntry, commands } from './commands.js'
import { createContext, processIo } from './context.js'
import { collect, instantMs } from './option-values.js'
import { reportFailure, runModule } from './run-module.js'

/** Runs one command line and sets the exit status of the process. */
export async function runMain(argv: readonly string[]): Promise<void> {
  process.stdout.on('error', endAtClosedPipe)
  process.stderr.on('error', ignoreClosedPipe)
  process.on('uncaughtException', endAtDefect)
  const endAtStandstill = (): void => endAtDefect(new Error('nothing is left to wait for, but the command has not ended'))
  process.once('beforeExit', endAtStandstill)
  process.exitCode = await runCommandLine(argv)
  process.off('beforeExit', endAtStandstill)
}

async function runCommandLine(argv: readonly string[]): Promise<ExitStatus> {
  const [name, ...rest] = argv
  if (name === '--version' || name === '-V') return print(`${packageVersion()}\n`)
  if (name === undefined) return print(overview(), exitStatus.usage)
  if (name === '--help' || name === '-h' || name === 'help') return help(rest)
  const entry = commands.find(command => command.name === name)
  return entry === undefined ? complainOfCommand(name) : runEntry(entry, rest)
}

async function runEntry(entry: CommandEntry, argv: readonly string[]): Promise<ExitStatus> {
  const io = processIo()
  try {
    const module = await entry.load()
    const command = module.declare(withCommonOptions(new Command(`millrace ${entry.name}`).description(entry.summary)))
    command.exitOverride().allowExcessArguments(false).parse(argv, { from: 'user' })
    const options: CommandOptions = command.opts()
    const context: CommandContext = { ...createContext(options, io), live: new CrawlStatus() }
    const asked = entry.inHolder === undefined ? undefined : await (await import('./held.js')).askIfHeld(entry, command.args, options, context)
    if (asked !== undefined) return asked
    return await runModule(entry, { ...context, serve: serveWhenHeld(context, entry.name) }, command.args, options)
  } catch (error) {
    return reportFailure(error, entry.name, io)
  }
}

/** What serving needs is loaded by commands that hold a db only. */
function serveWhenHeld(context: CommandContext, command: string): NonNullable<CommandContext['serve']> {
  return folder => async crawlDb => (await import('./held.js')).serveCommands(folder, commands, context, command)(crawlDb)
}

function withCommonOptions(command: Command): Command {
  return command
    .option('-D, --define <name=value>', 'set an option by its property name; may be repeated', collect)
    .option('--config <file>', 'read this file instead of millrace.config.json')
    .option('--now <time>', 'start the clock at this time (ISO 8601 or epoch ms)', instantMs)
    .addOption(new Option('--log-format <form>', 'how log lines are written to stderr').choices(['plain', 'json']).default('plain'))
    .addOption(new Option('--log-level <level>', 'least level written').choices(['debug', 'info', 'warn', 'error']).default('info'))
    .option('-q, --quiet', 'write only errors to stderr')
}

async function help([name]: readonly string[]): Promise<ExitStatus> {
  if (name === undefined) return print(overview())
  const entry = commands.find(command => command.name === name)
  return entry === undefined ? complainOfCommand(name) : runEntry(entry, ['--help'])
}

function complainOfCommand(name: string): ExitStatus {
  const near = suggestion(
    name,
    commands.map(command => command.name),
  )
  return complain(`millrace: there is no command ${name}${near}; see millrace --help`, exitStatus.usage)
}

function overview(): string {
  const width = Math.max(...commands.map(command => command.name.length))
  const rows = commands.map(command => `  ${command.name.padEnd(width)}  ${command.summary}`)
  return `Usage: millrace <command> [options]\n\n${rows.join('\n')}\n\nmillrace <command> --help shows the options and an example of each.\n`
}

function print(text: string, status: ExitStatus = exitStatus.done): ExitStatus {
  ;(status === exitStatus.done ? process.stdout : process.stderr).write(text)
  return status
}

function complain(message: string, status: ExitStatus): ExitStatus {
  process.stderr.write(`${message}\n`)
  return status
}

function packageVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version // our own package.json
}

/** A reader that went away (`| head`) is no error: what it did not want need not be written. A file that stdout is, on a full disk, is one. */
function endAtClosedPipe(error: Error): never {
  if (systemCodeOf(error) === 'EPIPE') process.exit(process.exitCode ?? exitStatus.done)
  const { code, message } = diskErrorOf(error, 'stdout')
  process.exit(complain(`millrace: ${code}: ${message}`, exitStatus.failed))
}

/** Nobody reads what is said to people: the work goes on. */
function ignoreClosedPipe(error: Error): void {
  if (systemCodeOf(error) !== 'EPIPE') throw error
}

/** An error that nothing caught is a defect. Node's own exit status for it, 1, means something else here. */
function endAtDefect(error: unknown): never {
  process.exit(complain(`millrace: UNEXPECTED: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`, exitStatus.failed))
}
