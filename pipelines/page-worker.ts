import { move, transferableSymbol, valueSymbol, workerData } from 'piscina'
import type { Config } from '../lib/config/options.js'
import { createUrlRules } from './crawl-url-rules.js'
import { ownedBuffers } from './owned-buffers.js'
import { type PageResult, type PageTask, PageWork } from './page-work.js'
import { createScoring } from './rules.js'

/** The worker thread of a PagePool: the same work as on the main thread, results handed over without a copy. */
const config = workerData as Config // createPagePool gives it
const work = new PageWork({ config, rules: createUrlRules(config), scoring: createScoring(config) })

/** Called by the pool. */
export function runPages(tasks: readonly PageTask[]): unknown {
  const results = tasks.map(task => work.run(task))
  return move({
    get [transferableSymbol]() {
      return ownedBuffers(results.flatMap(bytesOf))
    },
    get [valueSymbol]() {
      return results
    },
  })
}

function bytesOf({ records, parse }: PageResult): (Uint8Array | undefined)[] {
  return [records?.bytes, parse?.data, parse?.text, parse?.crawl]
}
