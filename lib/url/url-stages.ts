import type { UrlScope } from '../config/url-options.js'
import { Counters } from '../log/counters.js'
import { type Logger, silentLogger } from '../log/logger.js'
import type { Url } from '../record/url.js'
import { mapRecords, type Stage } from '../stream/stage.js'
import { Pacer } from './pacer.js'
import { shownUrl } from './shown-url.js'
import type { UrlFilters } from './url-filters.js'
import type { UrlNormalizers } from './url-normalizers.js'

/** Where a stage counts its decisions and tells of them. */
export interface UrlStageOptions {
  readonly counters?: Counters
  readonly log?: Logger
}

/** Gives each record its normalized URL; one whose URL is none is dropped, logged, and counted as `normalize/malformed`. */
export function normalizeUrls<T extends { readonly url: string }>(
  normalizers: UrlNormalizers,
  scope: UrlScope,
  { counters = new Counters(), log = silentLogger }: UrlStageOptions = {},
): Stage<T, T & { readonly url: Url }> {
  return mapRecords(function normalizeUrl(record: T) {
    const result = normalizers.normalize(record.url, scope)
    if ('url' in result) {
      counters.add(result.url === record.url ? 'normalize/unchanged' : 'normalize/changed')
      return { ...record, url: result.url }
    }
    counters.add('normalize/malformed')
    log.debug({ url: shownUrl(record.url), reason: result.rejected }, 'no URL')
    return undefined
  })
}

/**
 * Keeps the records whose URL the filters accept; the others are logged with their rule, and counted as `filter/rejected`, or `filter/error` where
 * a filter failed.
 */
export function filterUrls<T extends { readonly url: string }>(
  filters: UrlFilters,
  { counters = new Counters(), log = silentLogger }: UrlStageOptions = {},
): Stage<T, T> {
  const pacer = new Pacer()
  return mapRecords(async function filterUrl(record: T) {
    if (pacer.isDue) await pacer.turn()
    if (filters.accepts(record.url)) {
      counters.add('filter/accepted')
      return record
    }
    const rejection = filters.rejection(record.url)
    counters.add(rejection?.isError === true ? 'filter/error' : 'filter/rejected')
    const level = rejection?.isError === true ? 'warn' : 'debug'
    log[level]({ url: record.url, filter: rejection?.filter, rule: rejection?.by.rule, reason: rejection?.reason }, 'rejected')
    return undefined
  })
}
