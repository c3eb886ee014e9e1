import type { UrlScope } from '../config/url-options.js'
import { messageOf } from '../errors/crawl-error.js'
import type { UrlFilter } from '../url/filters/url-filter.js'
import { type ExtraNormalizer, simpleNormalizer } from '../url/normalizers/url-normalizer.js'
import { atOnce, callPlugin, callReported, type ReportFailure, shown } from './plugin-failure.js'
import type { LoadedPlugin, NormalizerPlugin, UrlFilterPlugin } from './plugin-points.js'

/** A plugin's normalizer as the chain takes it. What it throws rejects the URL, and is reported once for each decision. */
export function toNormalizer(loaded: LoadedPlugin<NormalizerPlugin>, report: ReportFailure): ExtraNormalizer {
  const { plugin, module } = loaded
  const answer = (url: string, scope: UrlScope): string | undefined => {
    const after: unknown = atOnce(plugin.normalize(url, scope))
    if (after === undefined || after === null || typeof after === 'string') return after ?? undefined
    throw new TypeError(`gave ${shown(after)}; a text or undefined is wanted`)
  }
  return {
    name: plugin.name,
    forScope(scope) {
      if (plugin.scopes !== undefined && !plugin.scopes.includes(scope)) return undefined
      const reported = (url: string): string | undefined => callReported(loaded, 'normalize', report, () => answer(url, scope))
      const told = (url: string): string | undefined => callPlugin(loaded, 'normalize', () => answer(url, scope))
      return { ...simpleNormalizer(plugin.name, module, told), apply: reported }
    },
  }
}

/** A plugin's filter as the chain takes it. What it throws rejects the URL, and is reported once for each decision. */
export function toUrlFilter(loaded: LoadedPlugin<UrlFilterPlugin>, report: ReportFailure): UrlFilter {
  const { plugin, module } = loaded
  const answer = (url: string): boolean => {
    const isAccepted: unknown = atOnce(plugin.accepts(url))
    if (typeof isAccepted === 'boolean') return isAccepted
    throw new TypeError(`gave ${shown(isAccepted)}; true or false is wanted`)
  }
  const by = { rule: plugin.name, file: module, line: 0 }
  return {
    name: plugin.name,
    accepts: url => callReported(loaded, 'accepts', report, () => answer(url)),
    verdict(url) {
      const accepted = callPlugin(loaded, 'accepts', () => answer(url))
      const reason = accepted ? undefined : reasonOf(plugin, url)
      return reason === undefined ? { accepted, by } : { accepted, by, reason, isDecided: true }
    },
  }
}

function reasonOf(plugin: UrlFilterPlugin, url: string): string | undefined {
  try {
    return plugin.reason === undefined ? undefined : String(plugin.reason(url))
  } catch (error) {
    return messageOf(error) // it was rejected all the same
  }
}
