import type { Command } from 'commander'
import { optionMarkdown, optionRows, optionSchema } from '../option-table.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { flag } from './option-values.js'
import { printLine } from './print-line.js'

export function declare(command: Command): Command {
  return command
    .argument('[dir]', "the crawl's folder")
    .option('--changed', 'only options that are not at their defaults')
    .option('--json', 'print JSON lines')
    .option('--schema', 'print a JSON schema of millrace.config.json, for editors')
    .option('--markdown', 'print the option table as Markdown')
    .addHelpText('after', '\nExample:\n  millrace config --changed -D fetcher.server.delay=2')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  if (flag(options, 'schema')) await printLine(context, `${JSON.stringify(optionSchema(), undefined, 2)}\n`)
  else if (flag(options, 'markdown')) await printLine(context, optionMarkdown())
  else {
    for (const row of optionRows(context.configure(args[0]))) {
      if (flag(options, 'changed') && row.source === 'default') continue
      const unit = row.unit === undefined ? '' : ` ${row.unit}`
      const text = `${row.property} = ${typeof row.value === 'string' ? row.value : JSON.stringify(row.value)}${unit}  (${row.source})\n    ${row.text}\n`
      await printLine(context, flag(options, 'json') ? `${JSON.stringify(row)}\n` : text)
    }
  }
  return exitStatus.done
}
