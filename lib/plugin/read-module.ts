import { suggestion } from '../config/suggestion.js'
import { CrawlError } from '../errors/crawl-error.js'
import { isJsonObject } from '../record/line-format.js'
import { Patience } from './patience.js'
import { type LoadedPlugin, type NamedPlugin, type PluginSetup, type PointName, pluginApiVersion, pointNames } from './plugin-points.js'

/** The functions of each point: all of `wanted` if there is one, else at least one of `some`. */
const functionsOf: Readonly<Record<PointName, { readonly wanted?: string; readonly some: readonly string[] }>> = {
  normalizer: { wanted: 'normalize', some: [] },
  urlFilter: { wanted: 'accepts', some: [] },
  scoring: { some: ['injected', 'initial', 'generatorSortValue', 'distribute', 'update', 'orphaned', 'indexerBoost'] },
  parseFilter: { some: ['observe', 'filter'] },
  indexingFilter: { wanted: 'filter', some: [] },
  stage: { wanted: 'run', some: [] },
}

/** A module as it was imported. */
export interface ImportedModule {
  readonly file: string
  readonly digest: string
  readonly namespace: unknown
}

/** The plugins of a module, in the order of `pointNames`.
 *  @throws {CrawlError} PLUGIN_INVALID naming module, export and reason */
export async function readModule({ file, digest, namespace }: ImportedModule, setup: PluginSetup): Promise<LoadedPlugin[]> {
  const exported = exportsOf(namespace)
  if (exported.apiVersion === undefined) throw invalid(file, 'apiVersion', `is missing; export const apiVersion = ${pluginApiVersion} is wanted`)
  if (exported.apiVersion !== pluginApiVersion)
    throw invalid(file, 'apiVersion', `is ${JSON.stringify(exported.apiVersion)}; this Millrace loads ${pluginApiVersion}`)
  const loaded: LoadedPlugin[] = []
  for (const point of pointNames) {
    if (exported[point] === undefined) continue
    for (const plugin of await pluginsOf(exported[point], setup, file, point)) loaded.push({ point, module: file, digest, plugin })
  }
  if (loaded.length === 0) throw invalid(file, 'the module', `exports none of ${pointNames.join(', ')}${nearest(exported)}`)
  return loaded
}

/** Named exports, or those of a CommonJS module, which may stand in `default`. */
function exportsOf(namespace: unknown): Readonly<Record<string, unknown>> {
  const named: Readonly<Record<string, unknown>> = isJsonObject(namespace) ? namespace : {}
  return named.apiVersion === undefined && isJsonObject(named.default) ? named.default : named
}

async function pluginsOf(value: unknown, setup: PluginSetup, file: string, point: PointName): Promise<NamedPlugin[]> {
  const made = isMaker(value) ? await makePlugins(value, setup, file, point) : value
  return (Array.isArray(made) ? made : [made]).map(plugin => checkPlugin(plugin, file, point))
}

function isMaker(value: unknown): value is (setup: PluginSetup) => unknown {
  return typeof value === 'function'
}

async function makePlugins(make: (setup: PluginSetup) => unknown, setup: PluginSetup, file: string, point: PointName): Promise<unknown> {
  try {
    return await new Patience(setup.config.crawl.pluginTimeoutMs).answer(make(setup))
  } catch (cause) {
    throw invalid(file, point, 'its function threw', cause)
  }
}

function checkPlugin(plugin: unknown, file: string, point: PointName): NamedPlugin {
  if (!isJsonObject(plugin)) throw invalid(file, point, 'an object, a list of them, or a function that gives them is wanted')
  const { name } = plugin
  if (typeof name !== 'string' || !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))
    throw invalid(file, point, `name is ${JSON.stringify(name)}; letters, digits, . _ and - are wanted`)
  const { wanted, some } = functionsOf[point]
  if (wanted !== undefined && typeof plugin[wanted] !== 'function') throw invalid(file, point, `${name} has no function ${wanted}`)
  if (wanted === undefined && !some.some(known => typeof plugin[known] === 'function'))
    throw invalid(file, point, `${name} has none of the functions ${some.join(', ')}`)
  const wrong = some.find(known => plugin[known] !== undefined && typeof plugin[known] !== 'function')
  if (wrong !== undefined) throw invalid(file, point, `${name}: ${wrong} is no function`)
  return Object.assign(plugin, { name })
}

/** Refuses two plugins of one name at the same point. @throws {CrawlError} PLUGIN_INVALID */
export function checkNames(loaded: readonly LoadedPlugin[], builtIn: Partial<Record<PointName, readonly string[]>>): void {
  const seen = new Map<string, LoadedPlugin>()
  for (const one of loaded) {
    const { point, module, plugin } = one
    const other = seen.get(`${point} ${plugin.name}`)
    if (other !== undefined) throw invalid(module, point, `${plugin.name} is there already, from ${other.module}`)
    if (builtIn[point]?.includes(plugin.name)) throw invalid(module, point, `${plugin.name} is the name of a built-in one`)
    seen.set(`${point} ${plugin.name}`, one)
  }
}

function nearest(exported: Readonly<Record<string, unknown>>): string {
  for (const name of Object.keys(exported)) {
    const near = suggestion(name, pointNames)
    if (near !== '') return `; it exports ${name}${near}`
  }
  return ''
}

export function invalid(file: string, what: string, reason: string, cause?: unknown): CrawlError {
  return new CrawlError('PLUGIN_INVALID', `${file}: ${what}: ${reason}`, cause === undefined ? {} : { cause })
}
