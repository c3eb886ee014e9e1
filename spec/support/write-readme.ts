import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withTable } from '../../pipelines/option-table.js'
import { projectRoot } from './paths.js'

/** `npm run readme`: makes the option table of the README anew. `spec/readme.spec.ts` fails when that was forgotten. */
const file = join(projectRoot, 'README.md')
const before = readFileSync(file, 'utf8')
const after = withTable(before)
if (after !== before) writeFileSync(file, after)
process.stdout.write(after === before ? 'README.md is up to date\n' : 'README.md has a new option table\n')
