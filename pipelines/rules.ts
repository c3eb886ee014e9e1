import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Config } from '../lib/config/options.js'
import { CrawlError } from '../lib/errors/crawl-error.js'
import { createSchedule as makeSchedule } from '../lib/schedule/create-schedule.js'
import type { FetchSchedule } from '../lib/schedule/fetch-schedule.js'
import { createScoring as makeScoring, type Scoring } from '../lib/score/create-scoring.js'
import { JavaPattern } from '../lib/url/regex/java-pattern.js'
import { noPlugins, type Plugins } from './plugins.js'

interface RuleText {
  readonly name: string
  readonly text: string
}

/** The schedule of the configuration, with the files that it names. @throws {CrawlError} CONFIG_INVALID */
export function createSchedule(config: Config): FetchSchedule {
  const { hostIntervalsFile, mimeFile, patternFile } = config.schedule
  return makeSchedule(config.schedule, {
    ...named('hostIntervals', hostIntervalsFile),
    ...named('mimeRates', mimeFile),
    ...named('patterns', patternFile),
    compilePattern,
  })
}

/** The scoring chain of the configuration, with the filters of plugins. @throws {CrawlError} CONFIG_INVALID */
export function createScoring(config: Config, { scoring }: Pick<Plugins, 'scoring'> = noPlugins): Scoring {
  return makeScoring(config.score, { compilePattern, filters: scoring })
}

/** Patterns of options are java.util.regex's, and found in linear time. */
function compilePattern(source: string): (text: string) => boolean {
  const pattern = new JavaPattern(source)
  return text => pattern.test(text)
}

function named<Name extends string>(name: Name, file: string): { [Key in Name]?: RuleText } {
  return file === '' ? {} : ({ [name]: readRuleFile(file) } as { [Key in Name]?: RuleText }) // one key, the one asked for
}

/** @throws {CrawlError} CONFIG_INVALID if the file cannot be read */
export function readRuleFile(file: string): RuleText {
  try {
    return { name: basename(file), text: readFileSync(file, 'utf8') }
  } catch (cause) {
    throw new CrawlError('CONFIG_INVALID', `${file} cannot be read`, { cause })
  }
}
