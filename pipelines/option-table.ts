import { type Field, shownValue } from '../lib/config/field.js'
import { optionGroups } from '../lib/config/options.js'
import type { ResolvedConfig } from '../lib/config/resolve-config.js'

/** One option as it stands for a crawl. */
export interface OptionRow {
  readonly property: string
  readonly group: string
  readonly value: unknown
  /** `default`, a file, `-D` or `flags`. */
  readonly source: string
  readonly default: string | number | boolean
  readonly type: string
  readonly unit?: string
  readonly choices?: readonly string[]
  /** Whether Nutch has it. */
  readonly nutch: boolean
  readonly text: string
}

const groups = Object.entries(optionGroups) as [string, Readonly<Record<string, Field<unknown>>>][]

/** All options with their values and where these come from, by group. */
export function optionRows({ origins }: Pick<ResolvedConfig, 'origins'>): OptionRow[] {
  return groups.flatMap(([group, fields]) =>
    Object.values(fields).map(field => {
      const origin = origins.get(field.property)
      return {
        property: field.property,
        group,
        value: shownValue(field, origin?.value),
        source: origin?.source ?? 'default',
        default: field.default,
        type: field.type,
        ...(field.unit === undefined ? {} : { unit: field.unit }),
        ...(field.choices === undefined ? {} : { choices: field.choices }),
        nutch: field.isNutch,
        text: field.text,
      }
    }),
  )
}

/** The option table of the README. */
export function optionMarkdown(): string {
  const lines: string[] = []
  for (const [group, fields] of groups) {
    lines.push(`#### ${group}`, '', '| option | default | meaning |', '| --- | --- | --- |')
    for (const field of Object.values(fields)) {
      const unit = field.unit === undefined ? '' : ` ${field.unit}`
      const choices = field.choices === undefined ? '' : ` One of ${field.choices.map(choice => `\`${choice}\``).join(', ')}.`
      const own = field.isNutch ? '' : ' *'
      lines.push(
        `| \`${field.property}\`${own} | ${shown(field.default)}${field.default === '' ? '' : unit} | ${escaped(field.text)}${escaped(choices)} |`,
      )
    }
    lines.push('')
  }
  return lines.join('\n')
}

function shown(value: string | number | boolean): string {
  return value === '' ? '' : `\`${String(value).replaceAll('|', '\\|')}\``
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|')
}

/** A JSON schema (draft 2020-12) of millrace.config.json, for editors. */
export function optionSchema(): object {
  const properties: Record<string, object> = {
    $schema: { type: 'string' },
    plugins: { type: 'array', items: { type: 'string' }, description: 'Modules whose plugins are loaded, in order.' },
  }
  for (const [, fields] of groups) for (const field of Object.values(fields)) properties[field.property] = fieldSchema(field)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'millrace.config.json',
    type: 'object',
    properties,
    additionalProperties: false,
  }
}

/** Values may also be texts, as -D and nutch-site.xml give them; `${name}` takes the value of another option. */
const reference = '\\$\\{[^}]*\\}'
const numberText = `^\\s*[-+0-9.][-+0-9.eExXa-fA-F_]*\\s*$|${reference}`
const truthText = `^\\s*([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])\\s*$|${reference}`

function textLike(pattern: string): object {
  return { type: 'string', pattern }
}

function fieldSchema({ type, text, default: byDefault, choices, min, max }: Field<unknown>): object {
  const bounds = { ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) }
  const common = { description: text, default: byDefault }
  switch (type) {
    case 'integer':
    case 'number':
      return { ...common, anyOf: [{ type, ...bounds }, textLike(numberText)] }
    case 'boolean':
      return { ...common, anyOf: [{ type: 'boolean' }, textLike(truthText)] }
    case 'list':
      return { ...common, anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }
    case 'choice':
      return { ...common, anyOf: [{ enum: choices ?? [] }, { type: 'string' }] } // also Nutch's name of a class
    case 'text':
      return { ...common, type: ['string', 'number', 'boolean'] }
    default:
      return type satisfies never
  }
}

/** `document` with the table between its markers made anew. @throws {RangeError} if it has no markers */
export function withTable(document: string): string {
  const [begin, end] = [/<!-- options: generated[^>]*-->\n/.exec(document), document.indexOf('<!-- end of options -->')]
  if (begin === null || end < begin.index) throw new RangeError('no markers of a generated option table')
  return `${document.slice(0, begin.index + begin[0].length)}${optionMarkdown()}${document.slice(end)}`
}
