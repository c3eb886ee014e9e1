/** The program with three commands of the specs' own: one that waits, one that fails behind its own back, one that never ends. */
import type { CommandContext, CommandModule, ExitStatus } from '../../pipelines/cli/command.js'
import { type CommandEntry, commands } from '../../pipelines/cli/commands.js'
import { runMain } from '../../pipelines/cli/run-main.js'

const runs: Readonly<Record<string, (context: CommandContext) => Promise<ExitStatus>>> = {
  /** Ends when it is told to stop; `deaf` does not. */
  wait: context => wait(context, true),
  deaf: context => wait(context, false),
  throw: () =>
    new Promise(() => {
      setTimeout(() => {
        throw new Error('behind the back of the command')
      }, 1)
    }),
  standstill: () => new Promise(() => undefined),
}

function wait({ signal, stderr }: CommandContext, obeys: boolean): Promise<ExitStatus> {
  return new Promise((_resolve, reject) => {
    const timer = setInterval(() => undefined, 1000)
    signal.addEventListener('abort', () => {
      stderr.write('told to stop\n')
      if (!obeys) return
      clearInterval(timer)
      reject(signal.reason)
    })
    stderr.write('waiting\n')
  })
}

const own = Object.entries(runs).map(([name, run]): CommandEntry => {
  const module: CommandModule = { declare: command => command, run }
  return { name, summary: 'for the specs', load: async () => module }
})
const all = commands as CommandEntry[] // made of an array literal: this process may have more of them
all.push(...own)
await runMain(process.argv.slice(2))
