import type { Command } from 'commander'
import { Counters } from '../../lib/log/counters.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { loadCountedPlugins } from './job-context.js'
import { flag } from './option-values.js'
import { printLine } from './print-line.js'

export function declare(command: Command): Command {
  return command
    .argument('[dir]', "the crawl's folder")
    .option('--json', 'print JSON lines')
    .addHelpText('after', '\nExample:\n  millrace plugins crawl')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const { config } = context.configure(args[0])
  const { loaded } = await loadCountedPlugins(config, new Counters(), context.log)
  for (const { point, module, digest, plugin } of loaded) {
    const row = { point, name: plugin.name, module, digest }
    await printLine(context, flag(options, 'json') ? `${JSON.stringify(row)}\n` : `${point.padEnd(14)}  ${plugin.name}  (${module})\n`)
  }
  if (loaded.length > 0) return exitStatus.done
  context.log.info({}, 'no plugins: millrace.plugins names no module')
  return exitStatus.nothing
}
