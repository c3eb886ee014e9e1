import { CommanderError } from 'commander'
import { CrawlError, type CrawlErrorCode, messageOf, systemCodeOf } from '../../lib/errors/crawl-error.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import type { CommandEntry } from './commands.js'
import { explainLoading } from './loading-failure.js'

/** Runs a command; what it fails with is told on stderr. */
export async function runModule(entry: CommandEntry, context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  try {
    const module = await entry.load()
    return await module.run(context, args, options)
  } catch (error) {
    const { aborted, reason } = context.signal
    if (aborted && isStop(error, context.signal)) {
      if (reason instanceof CrawlError) return reportFailure(reason, entry.name, context) // cut off: nobody asked for it to stop
      context.stderr.write(`millrace ${entry.name}: ${messageOf(reason)}\n`)
      return exitStatus.done
    }
    return reportFailure(error, entry.name, context)
  }
}

/** Whether `error` only says that the signal was obeyed. */
function isStop(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error instanceof Error && error.name === 'AbortError')
}

/** What is wrong before anything starts. */
const usageCodes: ReadonlySet<string> = new Set<CrawlErrorCode>(['USAGE', 'CONFIG_INVALID', 'URL_RULE_INVALID', 'PLUGIN_INVALID'])

/** What a failure prints and exits with: usage and configuration 2, everything else 3. */
export function reportFailure(thrown: unknown, commandName: string, { stderr }: Pick<CommandContext, 'stderr'>): ExitStatus {
  const error = explainLoading(thrown)
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitStatus.done : exitStatus.usage
  if (systemCodeOf(error) === 'EPIPE') return exitStatus.done
  const code = error instanceof CrawlError ? error.code : (systemCodeOf(error) ?? 'UNEXPECTED')
  const status = usageCodes.has(code) ? exitStatus.usage : exitStatus.failed
  const stack = error instanceof Error && !(error instanceof CrawlError) && code === 'UNEXPECTED' ? `\n${error.stack}` : ''
  stderr.write(`millrace ${commandName}: ${code}: ${messageOf(error)}${stack}\n`)
  return status
}
