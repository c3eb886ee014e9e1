import { setTimeout as wait } from 'node:timers/promises'
import { type CliOptions, startCli } from './cli.js'

/** Numbers from 0 to 1 that a seed gives (mulberry32): a run that failed can be played again. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A run that is killed or resumed may take long where many others share the machine; mocha's own limit ends what hangs. */
export const patient: CliOptions = { timeoutMs: 600_000 }

/** Starts the program and kills it with SIGKILL after a time. @returns whether the kill met it at work: not when it had given its report, and only its
 *  process was still there */
export async function killAfter(args: readonly string[], delayMs: number, options = patient): Promise<boolean> {
  const running = startCli(args, options)
  const ended = running.result.then(() => true)
  await Promise.race([ended, wait(delayMs)])
  running.kill('SIGKILL')
  const { signal, status, stdout, stderr } = await running.result
  if (signal !== 'SIGKILL' && status !== 0 && status !== 1) throw new Error(`ended with ${status} before it was killed: ${stderr.slice(-1000)}`)
  return signal === 'SIGKILL' && stdout === ''
}
