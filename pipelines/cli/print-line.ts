import { once } from 'node:events'
import type { CommandContext } from './command.js'

/** Writes to stdout at the reader's pace. */
export async function printLine({ stdout, signal }: Pick<CommandContext, 'stdout' | 'signal'>, line: string): Promise<void> {
  if (!stdout.write(line)) await once(stdout, 'drain', { signal })
}
