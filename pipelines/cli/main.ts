#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'
import { messageOf, systemCodeOf } from '../../lib/errors/crawl-error.js'
import { explainLoading } from './loading-failure.js'

// V8 lets its heap grow to several times of what is alive before it collects: 110 MB of a crawl, for a tenth of its processor time.
setFlagsFromString('--heap-growing-percent=70')

// The rest is loaded from here, so that a system that cannot open so many files gives an error like others, and not Node's own exit status.
try {
  const { runMain } = await import('./run-main.js')
  await runMain(process.argv.slice(2))
} catch (thrown) {
  const error = explainLoading(thrown)
  process.stderr.write(`millrace: ${systemCodeOf(error) ?? 'UNEXPECTED'}: ${messageOf(error)}\n`)
  process.exit(3)
}
