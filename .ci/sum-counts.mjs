// Adds up mocha JSON reports into the closing line; exits 1 if a test failed or none ran.
import { readFileSync } from 'node:fs'

const stats = process.argv.slice(2).map(file => JSON.parse(readFileSync(file, 'utf8')).stats)
const sum = name => stats.reduce((total, counts) => total + counts[name], 0)
process.exitCode = sum('failures') > 0 || sum('passes') === 0 ? 1 : 0
process.stdout.write(`${sum('passes')} passed, ${sum('failures')} failed, ${sum('pending')} skipped\n`)
