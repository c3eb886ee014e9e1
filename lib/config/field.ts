import * as v from 'valibot'

/** One option: how it is named outside, what it may be, and what it becomes inside. */
export interface Field<T> {
  /** The name in files and on the command line; Nutch's where Nutch has the option. */
  readonly property: string
  /** Whether Nutch knows the property. */
  readonly isNutch: boolean
  readonly type: 'integer' | 'number' | 'boolean' | 'text' | 'list' | 'choice'
  /** Unit of the outside value. */
  readonly unit?: string
  /** Outside value; `${other.property}` takes that property's value. */
  readonly default: string | number | boolean
  readonly choices?: readonly string[]
  readonly min?: number
  readonly max?: number
  /** Whether the value is shown to nobody. */
  readonly isSecret?: boolean
  /** One or two sentences for help and README. */
  readonly text: string
  /** Takes the outside value (text or JSON). @throws {v.ValiError} if it cannot be used */
  parse(raw: unknown): T
}

interface Common {
  readonly property: string
  /** Set to false for an option that Nutch does not have. @defaultValue true */
  readonly nutch?: boolean
  readonly text: string
}
interface Bounds {
  readonly default: number | string
  readonly min?: number
  readonly max?: number
}

/** A value as people may see it. */
export function shownValue({ isSecret = false }: Field<unknown>, value: unknown): unknown {
  return isSecret && value !== '' && value !== undefined ? '***' : value
}

type NumberSchema = v.GenericSchema<unknown, number>

/** Finite numbers, as numbers or as text. */
const finite = v.pipe(
  v.unknown(),
  v.transform(raw => (typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : raw)),
  v.number('must be a number'),
  v.finite('must be a finite number'),
)
const whole = v.pipe(finite, v.safeInteger('must be a whole number'))

/** The numbers of `schema` between the bounds that are given. */
const within = (schema: NumberSchema, { min = -Infinity, max = Infinity }: Bounds): NumberSchema =>
  v.pipe(schema, v.minValue(min, `must be at least ${min}`), v.maxValue(max, `must be at most ${max}`))

const truth = v.pipe(
  v.unknown(),
  v.transform(raw => (typeof raw === 'string' ? truthOf(raw) : raw)),
  v.boolean('must be true or false'),
)
const text = v.pipe(
  v.unknown(),
  v.transform(raw => (typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : raw)),
  v.string('must be text'),
)
const list = v.pipe(
  v.unknown(),
  v.transform(raw => (typeof raw === 'string' ? splitList(raw) : raw)),
  v.array(v.string('must be a list of texts'), 'must be a list of texts'),
)

/** As Hadoop's Configuration.getBoolean reads it: case and surrounding space do not count. */
function truthOf(raw: string): unknown {
  const word = raw.trim().toLowerCase()
  return word === 'true' ? true : word === 'false' ? false : raw
}

function splitList(raw: string): string[] {
  return raw
    .split(/[,\n]/)
    .map(part => part.trim())
    .filter(part => part !== '')
}

/** Number parts of a definition, with the unit where there is one. */
function numberParts(definition: Common & Bounds, type: 'integer' | 'number', unit?: string) {
  const { property, nutch = true, text: description, default: byDefault, min, max } = definition
  return {
    property,
    isNutch: nutch,
    type,
    text: description,
    default: byDefault,
    ...(unit === undefined ? {} : { unit }),
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
  }
}

export function integer(definition: Common & Bounds & { readonly unit?: string }): Field<number> {
  const schema = within(whole, definition)
  return { ...numberParts(definition, 'integer', definition.unit), parse: raw => v.parse(schema, raw) }
}

export function number(definition: Common & Bounds & { readonly unit?: string }): Field<number> {
  const schema = within(finite, definition)
  return { ...numberParts(definition, 'number', definition.unit), parse: raw => v.parse(schema, raw) }
}

/** Outside seconds (fractions allowed), inside milliseconds; negative values keep their meaning of "off" as -1. */
export function secondsToMs(definition: Common & Bounds): Field<number> {
  const schema = within(finite, definition)
  const toMs = (seconds: number): number => (seconds < 0 ? -1 : Math.round(seconds * 1000))
  return { ...numberParts(definition, 'number', 's'), parse: raw => toMs(v.parse(schema, raw)) }
}

/** Outside minutes, inside milliseconds; negative means off, as -1. */
export function minutesToMs(definition: Common & Bounds): Field<number> {
  const schema = within(finite, definition)
  const toMs = (minutes: number): number => (minutes < 0 ? -1 : Math.round(minutes * 60_000))
  return { ...numberParts(definition, 'number', 'min'), parse: raw => toMs(v.parse(schema, raw)) }
}

export function boolean(definition: Common & { readonly default: boolean | string }): Field<boolean> {
  const { property, nutch = true, text: description, default: byDefault } = definition
  return { property, isNutch: nutch, type: 'boolean', text: description, default: byDefault, parse: raw => v.parse(truth, raw) }
}

export function string(definition: Common & { readonly default: string; readonly secret?: boolean }): Field<string> {
  const { property, nutch = true, text: description, default: byDefault, secret: isSecret = false } = definition
  return { property, isNutch: nutch, type: 'text', isSecret, text: description, default: byDefault, parse: raw => v.parse(text, raw) }
}

/** Values separated by commas or line ends, or a JSON array. */
export function stringList(definition: Common & { readonly default: string; readonly secret?: boolean }): Field<readonly string[]> {
  const { property, nutch = true, text: description, default: byDefault, secret: isSecret = false } = definition
  return { property, isNutch: nutch, type: 'list', isSecret, text: description, default: byDefault, parse: raw => v.parse(list, raw) }
}

/** One of a few words; an alias such as Nutch's Java class name maps to one of them. */
export function choice<const Choice extends string>(
  definition: Common & {
    readonly default: NoInfer<Choice>
    readonly choices: readonly Choice[]
    readonly aliases?: Readonly<Record<string, NoInfer<Choice>>>
  },
): Field<Choice> {
  const { property, nutch = true, text: description, default: byDefault, choices, aliases = {} } = definition
  const schema = v.pipe(
    v.unknown(),
    v.transform(raw => (typeof raw === 'string' && Object.hasOwn(aliases, raw) ? aliases[raw] : raw)),
    v.picklist(choices, `must be one of ${choices.join(', ')}`),
  )
  return { property, isNutch: nutch, type: 'choice', choices, text: description, default: byDefault, parse: raw => v.parse(schema, raw) }
}

export type Fields = Readonly<Record<string, Field<unknown>>>
/** The parsed values of a group of fields. */
export type ConfigOf<Group extends Fields> = { readonly [Name in keyof Group]: Group[Name] extends Field<infer T> ? T : never }
