import type { Config } from '../../lib/config/options.js'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { Counters } from '../../lib/log/counters.js'
import type { Logger } from '../../lib/log/logger.js'
import { Segment } from '../../lib/segment/segment.js'
import { createJobContext, type JobContext } from '../job.js'
import { loadPlugins, type Plugins } from '../plugins.js'
import type { CommandContext } from './command.js'

/** The context of a job on `folder`, configured with what the command line says. */
export async function jobContextOf(
  context: CommandContext,
  folder: string,
  command: string,
  flags: Readonly<Record<string, unknown>> = {},
): Promise<JobContext> {
  const { config } = context.configure(folder, definedOnly(flags))
  const { clock, pacingClock, log, signal, heldDb, serve } = context
  const counters = new Counters()
  const plugins = await loadCountedPlugins(config, counters, log)
  return createJobContext({ plugins, counters, folder, config, clock, pacingClock, log, signal, command, heldDb, serve: serve?.(folder) })
}

/** The plugins of a configuration. Their failures are counted as `plugin/failed/NAME`; the first of each is a warning.
 *  @throws {CrawlError} PLUGIN_INVALID */
export function loadCountedPlugins(config: Config, counters: Counters, log: Logger): Promise<Plugins> {
  return loadPlugins(config, failure => {
    const counter = `plugin/failed/${failure.plugin}`
    const level = counters.get(counter) === 0 ? 'warn' : 'debug'
    counters.add(counter)
    log[level]({ ...failure }, 'plugin failed')
  })
}

function definedOnly(flags: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined))
}

/** One line of JSON on stdout. */
export function printJson({ stdout }: CommandContext, value: object): void {
  stdout.write(`${JSON.stringify(value)}\n`)
}

/** Segments by name or path, for a job that takes in each once: what a step writes to one after that would never be taken in.
 *  @param isParseNeeded if not, one that is only fetched is taken too, and a warning says what that means
 *  @throws {CrawlError} SEGMENT_MISSING, and SEGMENT_STATE for one whose fetch or parse has not ended */
export async function openEndedSegments(job: JobContext, names: readonly string[], isParseNeeded: boolean): Promise<readonly Segment[]> {
  const segments = await Promise.all(names.map(name => Segment.open(segmentPath(job, name))))
  for (const { name, state } of await Promise.all(segments.map(async segment => ({ name: segment.name, state: await segment.state() })))) {
    if (state === 'parsed' || state === 'sealed') continue
    if (state !== 'fetched' || isParseNeeded) throw new CrawlError('SEGMENT_STATE', `segment ${name} is ${state}, and not parsed yet`)
    job.log.warn({ segment: name }, 'fetched, and not parsed: its links are not taken in, nor will they be after a later parse')
  }
  return segments
}

/** The segment folders that names stand for: a name, or a path. */
export function segmentPath(job: JobContext, name: string): string {
  if (/^\d{14}$/.test(name)) return `${job.folder.segments}/${name}`
  if (name.includes('/')) return name
  throw new CrawlError('USAGE', `${name} is no segment: its name has 14 digits`)
}
