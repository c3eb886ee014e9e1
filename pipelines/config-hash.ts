import { createHash } from 'node:crypto'

/** A short hash of options that a job's result depends on; keys count in the order given. */
export function configHash(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
}
