import type { Command } from 'commander'
import type { CommandOptions } from './command.js'
import { collect, listOption, numberOption, textOption, wholeNumber } from './option-values.js'

/** The options of every command that fetches. */
export function withFetchOptions(command: Command): Command {
  return command
    .option('--allow-address <range>', 'let requests reach loopback, private, or a CIDR range; may be repeated', collect)
    .option('--rules <file>', 'URL filter rules (Nutch: urlfilter.regex.file)')
    .option('--workers <n>', 'worker threads that parse and compress; 0 does it on the main thread', wholeNumber)
}

/** The same as configuration values. */
export function fetchFlags(options: CommandOptions): Record<string, unknown> {
  const allowed = listOption(options, 'allowAddress')
  return {
    'http.allow.address': allowed.length === 0 ? undefined : allowed,
    'urlfilter.regex.file': textOption(options, 'rules'),
    'millrace.workers': numberOption(options, 'workers'),
  }
}
