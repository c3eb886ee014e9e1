import { CrawlError, messageOf } from '../errors/crawl-error.js'
import type { LoadedPlugin, PointName } from './plugin-points.js'

/** A plugin threw, or gave what it must not: plain data, so that a worker thread can tell of it. */
export interface PluginFailure {
  readonly point: PointName
  readonly plugin: string
  readonly module: string
  readonly message: string
}

/** Where failures are counted and logged that do not end the job. */
export type ReportFailure = (failure: PluginFailure) => void

/** Calls a plugin.
 *  @throws {CrawlError} PLUGIN_FAILED naming plugin, module and function, with what was thrown as the cause */
export function callPlugin<T>(loaded: LoadedPlugin, functionName: string, call: () => T): T {
  try {
    return call()
  } catch (cause) {
    throw pluginFailed(loaded, functionName, cause)
  }
}

/** What a plugin gave, if it gave it at once: in the middle of a decision nobody waits. @throws {TypeError} if it gave a promise */
export function atOnce<T>(value: T): T {
  if (!isThenable(value)) return value
  Promise.resolve(value).catch(() => undefined) // it is refused already
  throw new TypeError('gave a promise; an answer at once is wanted')
}

/** A value in a message. */
export function shown(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'an object' : typeof value === 'string' ? JSON.stringify(value) : String(value)
}

export function pluginFailed({ point, module, plugin }: LoadedPlugin, functionName: string, cause: unknown): CrawlError {
  return new CrawlError('PLUGIN_FAILED', `${point} ${plugin.name} of ${module}: ${functionName}`, { cause })
}

/** Calls a plugin; a failure is also reported. @throws {CrawlError} PLUGIN_FAILED */
export function callReported<T>(loaded: LoadedPlugin, functionName: string, report: ReportFailure, call: () => T): T {
  try {
    return callPlugin(loaded, functionName, call)
  } catch (error) {
    report(failureOf(loaded, error))
    throw error
  }
}

export function failureOf({ point, module, plugin }: LoadedPlugin, error: unknown): PluginFailure {
  return { point, plugin: plugin.name, module, message: messageOf(error) }
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
