import type { CommandModule } from './command.js'

export interface CommandEntry {
  readonly name: string
  readonly summary: string
  load(): Promise<CommandModule>
}

/** Every command, in the order that the help shows. A module is loaded only when its command runs. */
export const commands: readonly CommandEntry[] = []
