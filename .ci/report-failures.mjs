// Prints what a mocha JSON report says for people: each failure with its stack, then the counts.
import { readFileSync } from 'node:fs'

const { stats, failures } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
for (const { fullTitle, err } of failures) process.stdout.write(`FAILED ${fullTitle}\n${err.stack ?? err.message}\n\n`)
process.stdout.write(`${stats.passes} passing, ${stats.failures} failing, ${stats.pending} pending, ${(stats.duration / 1000).toFixed(1)} s\n`)
