import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { CrawlError } from '../errors/crawl-error.js'
import { Patience } from './patience.js'
import { findPluginFile } from './plugin-path.js'
import type { LoadedPlugin, PluginSetup } from './plugin-points.js'
import { invalid, readModule } from './read-module.js'

/** Imports modules in order, each once, and reads their plugins. @throws {CrawlError} PLUGIN_INVALID naming module, export and reason */
export async function loadModules(names: readonly string[], folder: string, setup: PluginSetup): Promise<LoadedPlugin[]> {
  const files = new Set<string>()
  for (const name of names) {
    const file = findPluginFile(name, folder)
    if (file === undefined) throw new CrawlError('PLUGIN_INVALID', `${name}: there is no such file or package, seen from ${folder}`)
    files.add(file)
  }
  const loaded: LoadedPlugin[] = []
  for (const file of files) {
    const digest = await digestOf(file)
    loaded.push(...(await readModule({ file, digest, namespace: await importFile(file, setup.config.crawl.pluginTimeoutMs) }, setup)))
  }
  return loaded
}

async function importFile(file: string, limitMs: number): Promise<unknown> {
  try {
    const namespace: unknown = await new Patience(limitMs).answer(import(pathToFileURL(file).href))
    return typeof namespace === 'object' && namespace !== null ? { ...namespace } : namespace
  } catch (cause) {
    throw invalid(file, 'the module', 'cannot be imported', cause)
  }
}

async function digestOf(file: string): Promise<string> {
  try {
    return createHash('sha256')
      .update(await readFile(file))
      .digest('hex')
      .slice(0, 16)
  } catch (cause) {
    throw invalid(file, 'the module', 'cannot be read', cause)
  }
}
