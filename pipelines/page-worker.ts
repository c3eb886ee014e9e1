import { move, transferableSymbol, valueSymbol, workerData } from 'piscina'
import type { Config } from '../lib/config/options.js'
import type { PluginFailure } from '../lib/plugin/plugin-failure.js'
import { createUrlRules } from './crawl-url-rules.js'
import { ownedBuffers } from './owned-buffers.js'
import { type PageResult, type PageTask, PageWork } from './page-work.js'
import { loadPlugins } from './plugins.js'
import { createScoring } from './rules.js'
import { sealResult } from './sealed-result.js'

/** The worker thread of a PagePool: the same work as on the main thread, results handed over without a copy. */
const config = workerData as Config // createPagePool gives it
const failures: PluginFailure[] = []
const plugins = await loadPlugins(config, failure => void failures.push(failure))
const work = new PageWork({ config, rules: createUrlRules(config, { plugins }), scoring: createScoring(config, plugins), plugins })

/** Called by the pool. */
export function runPages(tasks: readonly PageTask[]): unknown {
  const results = tasks.map(task => sealResult(() => work.run(task), failures))
  return move({
    get [transferableSymbol]() {
      return ownedBuffers(results.flatMap(({ result }) => (result === undefined ? [] : bytesOf(result))))
    },
    get [valueSymbol]() {
      return results
    },
  })
}

function bytesOf({ records, parse }: PageResult): (Uint8Array | undefined)[] {
  return [records?.bytes, parse?.data, parse?.text, parse?.crawl]
}
