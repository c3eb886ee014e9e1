import type { Change, Level } from '../store/level-store.js'

/**
 * The numbers of the last batches, one entry each, written in the batch itself. LevelDB passes over a damaged part of its log and goes on with
 * what stands behind it, without an error: the number that is missing then shows what was lost.
 */
export const trailPrefix = '!meta!batch!'
const trailLength = 256

/** The entry that a batch with this number carries. */
export function trailChange(sequence: number): Change {
  return { key: trailKey(sequence), value: Buffer.from(String(sequence)) }
}

/** The newest batch up to `sequence` that is missing, or undefined if the trail is whole. */
export async function missingBatch(level: Level, sequence: number): Promise<number | undefined> {
  const numbers = Array.from({ length: Math.min(sequence, trailLength) }, (_, index) => sequence - index)
  const found = await level.getMany(numbers.map(trailKey))
  return numbers.find((number, index) => found[index]?.toString() !== String(number))
}

function trailKey(sequence: number): string {
  return trailPrefix + (sequence % trailLength).toString(16).padStart(2, '0')
}
