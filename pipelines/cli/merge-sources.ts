import { resolve } from 'node:path'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import type { Url } from '../../lib/record/url.js'
import { type JobContext, urlRulesOf } from '../job.js'
import type { CommandOptions } from './command.js'
import { flag } from './option-values.js'

/** What merged URLs pass through: nothing, normalizers, filters. */
export interface MergeRules {
  readonly keepUrl: ((url: Url) => Url | undefined) | undefined
  readonly rulesHash: string
}

export function mergeRulesOf(job: JobContext, scope: 'crawldb' | 'linkdb', options: CommandOptions): MergeRules {
  const [isNormalizing, isFiltering] = [flag(options, 'normalize'), flag(options, 'filter')]
  if (!isNormalizing && !isFiltering) return { keepUrl: undefined, rulesHash: '' }
  const rules = urlRulesOf(job, { isFiltering, isNormalizing })
  return { keepUrl: rules.keepLink(scope), rulesHash: rules.fingerprint }
}

/** Opens one thing for each name, all at once, each within the one before: as the functions that lend databases want it. */
export function withAll<Name, Opened, Result>(
  names: readonly Name[],
  open: (name: Name, use: (opened: Opened) => Promise<Result>) => Promise<Result>,
  use: (opened: readonly Opened[]) => Promise<Result>,
): Promise<Result> {
  const next = (index: number, opened: readonly Opened[]): Promise<Result> => {
    const name = names[index]
    return name === undefined ? use(opened) : open(name, one => next(index + 1, [...opened, one]))
  }
  return next(0, [])
}

/** The sources, each once, however often and in whatever spelling it is named. @throws {CrawlError} USAGE if there is none, or one is the target */
export function sourceFolders(target: string, sources: readonly string[]): readonly string[] {
  if (sources.length === 0) throw new CrawlError('USAGE', 'which crawls are to be merged into it?')
  const byPath = new Map(sources.map(source => [resolve(source), source]))
  const own = byPath.get(resolve(target))
  if (own !== undefined) throw new CrawlError('USAGE', `${own} cannot be merged into itself`)
  return [...byPath.values()]
}
