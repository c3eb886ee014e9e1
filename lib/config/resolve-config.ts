import { isValiError } from 'valibot'
import { CrawlError, isCrawlError } from '../errors/crawl-error.js'
import { type Field, shownValue } from './field.js'
import { type Config, type GroupName, optionGroups } from './options.js'
import { suggestion } from './suggestion.js'

/** One place that options come from. Later layers win. */
export interface ConfigLayer {
  /** For messages: `millrace.config.json`, `-D`, `--top-n`. */
  readonly source: string
  /** Outside values by property name. */
  readonly values: Readonly<Record<string, unknown>>
  /** Unknown names are refused, not just listed. @defaultValue true */
  readonly isStrict?: boolean
}

export interface ResolvedConfig {
  readonly config: Config
  /** By property: the outside value and the source it came from. */
  readonly origins: ReadonlyMap<string, ConfigOrigin>
  /** Names in layers that are not strict and that no option has. */
  readonly unknown: readonly string[]
}

export interface ConfigOrigin {
  readonly value: unknown
  readonly source: string
}

/** All options by property name. */
export const optionsByProperty: ReadonlyMap<string, Field<unknown>> = new Map(
  Object.values(optionGroups)
    .flatMap(group => Object.values(group) as Field<unknown>[])
    .map(field => [field.property, field]),
)

/** Defaults overlaid with `layers`, checked together, frozen.
 *  @throws {CrawlError} CONFIG_INVALID naming every unknown name and bad value, with its source and the nearest known name */
export function resolveConfig(layers: readonly ConfigLayer[] = []): ResolvedConfig {
  const problems: string[] = []
  const unknown = new Set<string>()
  const origins = new Map<string, ConfigOrigin>()
  for (const [property, field] of optionsByProperty) origins.set(property, { value: field.default, source: 'default' })
  for (const { source, values, isStrict = true } of layers) {
    for (const [property, value] of Object.entries(values)) {
      if (optionsByProperty.has(property)) origins.set(property, { value, source })
      else if (isStrict) problems.push(`${source}: unknown option ${property}${suggestion(property, optionsByProperty.keys())}`)
      else unknown.add(property)
    }
  }
  const config = parseGroups(origins, problems)
  if (problems.length > 0) throw new CrawlError('CONFIG_INVALID', problems.join('\n'))
  return { config, origins, unknown: [...unknown] }
}

/** The configuration with defaults only, or with these properties changed: for library callers and specs. */
export function configWith(values: Readonly<Record<string, unknown>> = {}): Config {
  return resolveConfig([{ source: 'options', values }]).config
}

function parseGroups(origins: ReadonlyMap<string, ConfigOrigin>, problems: string[]): Config {
  const groups: Record<string, Record<string, unknown>> = {}
  for (const [groupName, group] of Object.entries(optionGroups)) {
    const values: Record<string, unknown> = {}
    for (const [name, field] of Object.entries(group) as [string, Field<unknown>][]) values[name] = parseField(field, origins, problems)
    groups[groupName] = Object.freeze(values)
  }
  return Object.freeze(groups) as unknown as Config // built key by key from the same table that gives Config its type
}

function parseField(field: Field<unknown>, origins: ReadonlyMap<string, ConfigOrigin>, problems: string[]): unknown {
  const origin = origins.get(field.property) as ConfigOrigin
  try {
    return field.parse(expandReferences(origin.value, origins))
  } catch (error) {
    if (!isValiError(error) && !isCrawlError(error, 'CONFIG_INVALID')) throw error
    const reason = isValiError(error) ? error.issues.map(issue => issue.message).join('; ') : error.message
    problems.push(`${origin.source}: ${field.property} = ${JSON.stringify(shownValue(field, origin.value))}: ${reason}`)
    return undefined
  }
}

/** Replaces `${property}` by that property's value, as Hadoop does; a name that no option has stays as it is. A value that is one reference
 *  alone keeps its type. @throws {CrawlError} CONFIG_INVALID if it does not come to an end */
function expandReferences(value: unknown, origins: ReadonlyMap<string, ConfigOrigin>, budget = { expansions: 100 }): unknown {
  if (typeof value !== 'string' || !value.includes('${')) return value
  const expand = (name: string): unknown => {
    if (budget.expansions-- === 0) throw new CrawlError('CONFIG_INVALID', 'its references lead back to itself')
    return expandReferences(origins.get(name)?.value, origins, budget)
  }
  const whole = /^\$\{([^}]+)\}$/.exec(value)?.[1]
  if (whole !== undefined && origins.has(whole)) return expand(whole)
  return value.replace(/\$\{([^}]+)\}/g, (text, name: string) => (origins.has(name) ? String(expand(name)) : text))
}

export type { GroupName }
