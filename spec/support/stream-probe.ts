import { Readable, Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'

/** The whole numbers below `count`. */
export const upTo = (count: number): Readable => Readable.from(Array.from({ length: count }, (_, index) => index))

/** A sink that takes a record only when `release` is called. */
export function gatedSink(): { sink: Writable; release: () => void; taken: number[] } {
  let waiting: (() => void) | undefined
  const taken: number[] = []
  const sink = new Writable({
    objectMode: true,
    highWaterMark: 1,
    write(value: number, _encoding, done) {
      taken.push(value)
      waiting = done
    },
  })
  return { sink, release: () => waiting?.(), taken }
}

/** Lets everything run that can run without new input. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await setImmediate()
}

/** What `work` rejects with, or undefined. */
export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work
  } catch (error) {
    return error
  }
  return undefined
}
