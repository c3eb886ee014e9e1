import type { Command } from 'commander'
import type { Ailment } from '../doctor/ailment.js'
import { examine } from '../doctor/doctor.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { jobContextOf } from './job-context.js'
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
  const isRepairing = flag(options, 'repair')
  const told: string[] = []
  const tell = (line: string): void => void (isRepairing ? told.push(line) : context.stdout.write(line))
  const onFinding = ({ repair: _, ...finding }: Ailment, isRepaired: boolean): void => {
    tell(`${flag(options, 'json') ? JSON.stringify({ ...finding, isRepaired }) : textOf(finding, isRepaired)}\n`)
  }
  const report = await examine({ context: job, isRepairing, onFinding }).finally(() => {
    for (const line of told) context.stdout.write(line) // not before: a reader that goes ends the program, and would end it between two repairs
  })
  context.log.info({ ...report }, report.faults === 0 ? 'all is well' : 'examined')
  return report.faults > report.repaired ? exitStatus.faults : exitStatus.done
}

function textOf({ part, name, problem, isNote, remedy }: Omit<Ailment, 'repair'>, isRepaired: boolean): string {
  const where = name === undefined ? part : `${part} ${name}`
  const done = remedy === undefined ? 'nothing can be repaired here' : isRepaired ? `repaired: ${remedy}` : `--repair would ${remedy}`
  return `${isNote === true ? 'note' : 'fault'} ${where}: ${problem}${isNote === true && remedy === undefined ? '' : `. ${done}`}`
}
