/** What an element does to the text around it: `block` and `line` break the line, `cell` separates by a space, `inline` does nothing. */
export type Flow = 'block' | 'cell' | 'inline'

/** Elements that need code of their own. */
export type Role =
  | 'a'
  | 'area'
  | 'base'
  | 'br'
  | 'form'
  | 'heading'
  | 'html'
  | 'img'
  | 'link'
  | 'meta'
  | 'noscript'
  | 'pre'
  | 'select'
  | 'table'
  | 'tablepart'
  | 'title'

export interface LinkAttribute {
  readonly name: string
  readonly isSrcset: boolean
}

/** Names of attributes that are wanted, with the lengths of these names as bits, so that most others are passed over unread. */
export interface AttributeNames {
  readonly names: readonly string[]
  readonly lengthBits: number
  /** Every attribute is wanted, whatever `names` says. */
  readonly isAll: boolean
}

export const allAttributes: AttributeNames = { names: [], lengthBits: 0, isAll: true }

export function attributeNames(names: readonly string[]): AttributeNames {
  return { names, lengthBits: names.reduce((bits, name) => bits | (1 << name.length), 0), isAll: false }
}

/** What is known of an element by its name. */
export interface ElementRule {
  readonly name: string
  readonly flow: Flow
  /** Attributes that are read. */
  readonly attributes: AttributeNames | undefined
  readonly linkAttributes: readonly LinkAttribute[]
  /** Its text is not for readers. */
  readonly isHidden: boolean
  /** Its content is text only, in which no reference is decoded (HTML Standard, 13.1.2). */
  readonly isRawText: boolean
  readonly role: Role | undefined
  /** It says something of the document that it stands in. */
  readonly isOfDocument: boolean
  /** A start tag that ends SVG or MathML around it (HTML Standard, 13.2.6.5). */
  readonly breaksOutOfForeign: boolean
}

const blocks =
  'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form ' +
  'frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup option p plaintext pre search section select ' +
  'summary table tbody tfoot thead title tr ul xmp'
const hidden = 'audio canvas datalist iframe noembed noframes rp script style template video'
const inlines =
  'abbr acronym b bdi bdo big cite code col colgroup data del dfn em font head i ins kbd label link map mark meter nobr object output picture ' +
  'progress q rb rt ruby s samp slot small span strike strong sub sup svg time tt u var wbr g path rect circle line polygon polyline use defs symbol math'
const rawTexts = 'iframe noembed noframes plaintext script style xmp'
const breakouts =
  'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ' +
  'ruby s small span strike strong sub sup table tt u ul var'

/** Attributes that are read, in the order in which their links come. `srcset` is a list of URLs. */
const attributesRead: Readonly<Record<string, { readonly links: string; readonly others: string }>> = {
  a: { links: 'href', others: 'rel xlink:href' },
  area: { links: 'href', others: 'rel alt' },
  audio: { links: 'src', others: '' },
  base: { links: '', others: 'href' },
  button: { links: 'formaction', others: '' },
  embed: { links: 'src', others: '' },
  form: { links: 'action', others: 'method' },
  frame: { links: 'src', others: '' },
  html: { links: '', others: 'lang xml:lang' },
  iframe: { links: 'src', others: '' },
  img: { links: 'src srcset', others: 'alt' },
  input: { links: 'src formaction', others: 'type' },
  link: { links: 'href', others: 'rel hreflang type' },
  meta: { links: '', others: 'name property http-equiv content' },
  object: { links: 'data', others: '' },
  script: { links: 'src', others: '' },
  source: { links: 'src srcset', others: '' },
  template: { links: '', others: 'shadowrootmode' },
  track: { links: 'src', others: '' },
  video: { links: 'src poster', others: '' },
}

const roles: Readonly<Record<string, Role>> = {
  a: 'a',
  area: 'area',
  base: 'base',
  br: 'br',
  form: 'form',
  h1: 'heading',
  h2: 'heading',
  h3: 'heading',
  h4: 'heading',
  h5: 'heading',
  h6: 'heading',
  html: 'html',
  img: 'img',
  link: 'link',
  listing: 'pre',
  meta: 'meta',
  noscript: 'noscript',
  pre: 'pre',
  select: 'select',
  table: 'table',
  caption: 'tablepart',
  tbody: 'tablepart',
  td: 'tablepart',
  tfoot: 'tablepart',
  th: 'tablepart',
  thead: 'tablepart',
  title: 'title',
  tr: 'tablepart',
}

const ofDocument: ReadonlySet<string> = new Set(['base', 'link', 'meta', 'title'])

const wordsOf = (list: string): string[] => (list === '' ? [] : list.split(' '))

function makeRules(): Map<string, ElementRule> {
  const [block, hide, raw, breaks] = [blocks, hidden, rawTexts, breakouts].map(list => new Set(wordsOf(list))) as [
    Set<string>,
    Set<string>,
    Set<string>,
    Set<string>,
  ] // four lists in, four sets out
  const rules = new Map<string, ElementRule>()
  for (const name of new Set([...wordsOf(inlines), ...block, ...hide, ...raw, ...breaks, ...Object.keys(attributesRead), ...Object.keys(roles)])) {
    const read = attributesRead[name]
    const links = wordsOf(read?.links ?? '')
    rules.set(name, {
      name,
      flow: block.has(name) ? 'block' : name === 'td' || name === 'th' ? 'cell' : 'inline',
      attributes: read === undefined ? undefined : attributeNames([...links, ...wordsOf(read.others)]),
      linkAttributes: links.map(link => ({ name: link, isSrcset: link === 'srcset' })),
      isHidden: hide.has(name),
      isRawText: raw.has(name),
      role: roles[name],
      isOfDocument: ofDocument.has(name),
      breaksOutOfForeign: breaks.has(name),
    })
  }
  return rules
}

const rules = makeRules()

/** The rule of an element, by lower-case name. */
export function elementRule(name: string): ElementRule {
  return rules.get(name) ?? unknownElement(name)
}

export const imgRule = elementRule('img')

/** Rules by a hash of length and first, middle and last letter, so that a tag is looked up without a string being made of its name. */
const bucketCount = 512
const buckets: readonly (readonly ElementRule[])[] = Array.from({ length: bucketCount }, (_, hash) =>
  [...rules.values()].filter(({ name }) => hashAt(name, 0, name.length) === hash),
)

/** The rule of the element whose name, in any case, stands in `text` between two places. */
export function elementRuleAt(text: string, start: number, end: number): ElementRule {
  const bucket = buckets[hashAt(text, start, end)] as readonly ElementRule[]
  for (let index = 0; index < bucket.length; index++) {
    const rule = bucket[index] as ElementRule
    if (isNameAt(rule.name, text, start, end)) return rule
  }
  return elementRule(text.slice(start, end).toLowerCase())
}

function hashAt(text: string, start: number, end: number): number {
  const first = text.charCodeAt(start) | 0x20
  const middle = text.charCodeAt((start + end) >> 1) | 0x20
  const last = text.charCodeAt(end - 1) | 0x20
  return ((end - start) * 7 + first * 31 + middle * 5 + last * 17) & (bucketCount - 1)
}

/** Whether `name`, which is lower case ASCII, stands in `text` between two places, in any case. */
export function isNameAt(name: string, text: string, start: number, end: number): boolean {
  if (name.length !== end - start) return false
  for (let index = 0; index < name.length; index++) {
    const code = text.charCodeAt(start + index)
    const wanted = name.charCodeAt(index)
    if (code !== wanted && !(code >= 65 && code <= 90 && (code | 0x20) === wanted)) return false
  }
  return true
}

function unknownElement(name: string): ElementRule {
  return {
    name,
    flow: 'inline',
    attributes: undefined,
    linkAttributes: [],
    isHidden: false,
    isRawText: false,
    role: undefined,
    isOfDocument: false,
    breaksOutOfForeign: false,
  }
}
