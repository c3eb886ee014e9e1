import { InvalidArgumentError } from 'commander'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import type { CommandOptions } from './command.js'

/** Parsers for commander: each refuses a bad value with what it should have been. */
export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(Number(text))) throw new InvalidArgumentError('a whole number is wanted.')
  return Number(text)
}

/** A whole number, or -1 for no limit, as Nutch's properties have it. */
export function countLimit(text: string): number {
  return text === '-1' ? -1 : wholeNumber(text)
}

export function realNumber(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('a number is wanted.')
  return value
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `10m`, `1.5h`, `30d`, `250ms`, or a bare number of seconds: to milliseconds. */
export function durationMs(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text)
  if (match === null) throw new InvalidArgumentError('a duration such as 90s, 10m or 2h is wanted.')
  return Math.round(Number(match[1]) * (unitMs[match[2] ?? 's'] as number))
}

const isoInstant = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?)?$/i

/** An ISO 8601 date or time (UTC where it names no zone), or epoch milliseconds. */
export function instantMs(text: string): number {
  const value = /^-?\d+$/.test(text) ? Number(text) : isoMs(text)
  if (!Number.isNaN(new Date(value).getTime())) return value
  throw new InvalidArgumentError('a time such as 2026-01-31T12:00:00Z, or epoch milliseconds, is wanted.')
}

/** NaN for what is no such time, also for a day that its month does not have. */
function isoMs(text: string): number {
  const [, date, time = '00:00', zone = 'Z'] = isoInstant.exec(text) ?? []
  if (date === undefined || new Date(`${date}T00:00Z`).toJSON()?.slice(0, 10) !== date) return Number.NaN
  return Date.parse(`${date}T${time}${zone.toUpperCase()}`)
}

/** For options that may be given several times. */
export function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text]
}

/** Readers of parsed options. */
export function flag(options: CommandOptions, name: string): boolean {
  return options[name] === true
}

export function textOption(options: CommandOptions, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

export function numberOption(options: CommandOptions, name: string): number | undefined {
  const value = options[name]
  return typeof value === 'number' ? value : undefined
}

export function listOption(options: CommandOptions, name: string): readonly string[] {
  const value = options[name]
  return Array.isArray(value) ? value.map(String) : []
}

/** The argument at `index`. @throws {CrawlError} USAGE naming it */
export function requiredArgument(args: readonly string[], index: number, name: string): string {
  const value = args[index]
  if (value === undefined) throw new CrawlError('USAGE', `${name} is missing`)
  return value
}

/** `-D name=value` pairs as one layer of configuration values. @throws {CrawlError} USAGE */
export function definitions(options: CommandOptions): Record<string, string> {
  const values: Record<string, string> = {}
  for (const pair of listOption(options, 'define')) {
    const equals = pair.indexOf('=')
    if (equals <= 0) throw new CrawlError('USAGE', `-D ${pair}: name=value is wanted`)
    values[pair.slice(0, equals)] = pair.slice(equals + 1)
  }
  return values
}
