#!/usr/bin/env node
import { messageOf, systemCodeOf } from '../../lib/errors/crawl-error.js'

// The rest is loaded from here, so that a system that cannot open so many files gives an error like others, and not Node's own exit status.
try {
  const { runMain } = await import('./run-main.js')
  await runMain(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`millrace: ${systemCodeOf(error) ?? 'UNEXPECTED'}: ${messageOf(error)}\n`)
  process.exit(3)
}
