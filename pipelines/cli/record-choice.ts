import type { Command } from 'commander'
import { recordTest } from '../expressions.js'
import type { RecordChoice } from '../record-test.js'
import type { CommandOptions } from './command.js'
import { instantMs, numberOption, realNumber, textOption, wholeNumber } from './option-values.js'

/** The options by which commands choose records. */
export function withRecordChoice(command: Command): Command {
  return command
    .option('--status <name>', 'records with this status, such as db_gone')
    .option('--regex <pattern>', 'records in whose URL the pattern is found')
    .option('--host <name>', 'records of this host')
    .option('--domain <name>', 'records of this registered domain and the hosts below it')
    .option('--retry <n>', 'records with this number of retries', wholeNumber)
    .option('--signature <hex>', 'records whose signature begins so')
    .option('--changed-since <time>', 'records whose page has changed since', instantMs)
    .option('--expr <expression>', "records for which it holds, such as: status == 'db_gone' && retries > 2")
    .option('--sample <part>', 'a part of the records, 0 to 1, chosen by their URLs', realNumber)
}

/** @throws {CrawlError} USAGE for an expression that cannot be used */
export function recordChoiceOf(options: CommandOptions): RecordChoice {
  const expression = textOption(options, 'expr')
  return {
    status: textOption(options, 'status'),
    regex: textOption(options, 'regex'),
    host: textOption(options, 'host')?.toLowerCase(),
    domain: textOption(options, 'domain')?.toLowerCase(),
    retries: numberOption(options, 'retry'),
    signature: textOption(options, 'signature'),
    changedSinceMs: numberOption(options, 'changedSince'),
    sample: numberOption(options, 'sample'),
    expression: expression === undefined ? undefined : recordTest(expression),
  }
}
