import { CrawlError } from '../../lib/errors/crawl-error.js'
import { createJobContext, type JobContext } from '../job.js'
import type { CommandContext } from './command.js'

/** The context of a job on `folder`, configured with what the command line says. */
export async function jobContextOf(
  context: CommandContext,
  folder: string,
  command: string,
  flags: Readonly<Record<string, unknown>> = {},
): Promise<JobContext> {
  const { config } = context.configure(folder, definedOnly(flags))
  const { clock, pacingClock, log, signal } = context
  return createJobContext({ folder, config, clock, pacingClock, log, signal, command })
}

function definedOnly(flags: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined))
}

/** One line of JSON on stdout. */
export function printJson({ stdout }: CommandContext, value: object): void {
  stdout.write(`${JSON.stringify(value)}\n`)
}

/** The segment folders that names stand for: a name, or a path. */
export function segmentPath(job: JobContext, name: string): string {
  if (/^\d{14}$/.test(name)) return `${job.folder.segments}/${name}`
  if (name.includes('/')) return name
  throw new CrawlError('USAGE', `${name} is no segment: its name has 14 digits`)
}
