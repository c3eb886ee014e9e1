import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sharedRoot } from './paths.js'

/** A table of the shared corpus. The shape of a case is the table's own; each spec narrows it. */
export interface CorpusTable<Case> {
  readonly form: string
  readonly cases: readonly Case[]
}

/** Reads `corpus/<path>`, or undefined where the project stands without the shared folder. */
export function readCorpus<Case>(path: string): CorpusTable<Case> | undefined {
  if (sharedRoot === undefined) return undefined
  return JSON.parse(readFileSync(join(sharedRoot, 'corpus', path), 'utf8')) as CorpusTable<Case> // test data, read as documented in its form
}

/** `describe` for cases of the shared corpus: one skipped test with a message where the folder is missing. */
export function describeCorpus(title: string, define: (corpusFolder: string) => void): void {
  const root = sharedRoot
  describe(title, () => {
    if (root === undefined)
      it('needs ../shared, which is not here', function skipWithoutShared() {
        this.skip()
      })
    else define(join(root, 'corpus'))
  })
}
