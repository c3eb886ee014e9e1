import { CrawlError } from '../../lib/errors/crawl-error.js'
import type { CommandOptions } from './command.js'
import { textOption } from './option-values.js'

/** The zone that `--time-zone` names. @defaultValue UTC @throws {CrawlError} USAGE if there is none of that name */
export function timeZoneOf(options: CommandOptions): string {
  const name = textOption(options, 'timeZone') ?? 'UTC'
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return name
  } catch (cause) {
    throw new CrawlError('USAGE', `there is no time zone ${name}`, { cause })
  }
}
