import type { Command } from 'commander'
import type { Ailment } from '../doctor/ailment.js'
import { examine } from '../doctor/doctor.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf, printJson } from './job-context.js'
import { flag, requiredArgument } from './option-values.js'

const helpText = `
Exit status 4: there are faults that were not repaired.
A LinkDb is made anew with the options that invertlinks is given: give them here too.

Example:
  millrace doctor crawl`

export function declare(command: Command): Command {
  return command
    .argument('<dir>', "the crawl's folder")
    .option('--repair', 'do what is said to be possible; damaged parts are kept beside the new ones')
    .option('--json', 'one JSON object for each finding')
    .addHelpText('after', helpText)
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const job = await jobContextOf(context, requiredArgument(args, 0, 'dir'), 'doctor')
  const onFinding = ({ repair: _, ...finding }: Ailment, isRepaired: boolean): void => {
    if (flag(options, 'json')) printJson(context, { ...finding, isRepaired })
    else context.stdout.write(`${textOf(finding, isRepaired)}\n`)
  }
  const report = await examine({ context: job, isRepairing: flag(options, 'repair'), onFinding })
  context.log.info({ ...report }, report.faults === 0 ? 'all is well' : 'examined')
  return report.faults > report.repaired ? exitStatus.faults : exitStatus.done
}

function textOf({ part, name, problem, isNote, remedy }: Omit<Ailment, 'repair'>, isRepaired: boolean): string {
  const where = name === undefined ? part : `${part} ${name}`
  const done = remedy === undefined ? 'nothing can be repaired here' : isRepaired ? `repaired: ${remedy}` : `--repair would ${remedy}`
  return `${isNote === true ? 'note' : 'fault'} ${where}: ${problem}${isNote === true && remedy === undefined ? '' : `. ${done}`}`
}
