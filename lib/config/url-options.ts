import { boolean, type ConfigOf, choice, type Field, integer, string, stringList } from './field.js'

/** Where URLs are normalized (Nutch's URLNormalizers.SCOPE_*): each may have a chain, an order and a regex file of its own. */
export const urlScopes = ['default', 'partition', 'generate_host_count', 'fetcher', 'crawldb', 'linkdb', 'inject', 'outlink', 'indexer'] as const
export type UrlScope = (typeof urlScopes)[number]

const file = (property: string, text: string, nutch = true): Field<string> => string({ property, nutch, default: '', text })
const perScope = <T>(make: (scope: UrlScope) => Field<T>): { readonly [Scope in UrlScope]: Field<T> } =>
  Object.fromEntries(urlScopes.map(scope => [scope, make(scope)])) as { [Scope in UrlScope]: Field<T> } // one field for each of the scopes

const chains = perScope(scope =>
  stringList({
    property: `urlnormalizer.scope.${scope}`,
    default: '',
    text: `Normalizers of scope ${scope}, in place of urlnormalizer.order; Nutch class names are understood.`,
  }),
)
const orders = perScope(scope =>
  stringList({
    property: `urlnormalizer.order.${scope}`,
    default: '',
    text: `Order of the normalizers of scope ${scope}; those not named come after.`,
  }),
)
const regexFiles = perScope(scope =>
  file(`urlnormalizer.regex.file.${scope}`, `Rules of the regex normalizer in scope ${scope}, in place of urlnormalizer.regex.file.`),
)

/** Fields of all scopes, named `<prefix>_<scope>`: an option group is flat. */
function named<Prefix extends string, T>(prefix: Prefix, fields: { readonly [Scope in UrlScope]: Field<T> }) {
  return Object.fromEntries(urlScopes.map(scope => [`${prefix}_${scope}`, fields[scope]])) as {
    [Scope in UrlScope as `${Prefix}_${Scope}`]: Field<T>
  } // as above
}

const filterFields = {
  filters: stringList({
    property: 'urlfilter.order',
    default: 'regex',
    text: 'URL filters, all of which must accept: regex, automaton, prefix, suffix, domain, domaindenylist, fast, validator; or Nutch class names.',
  }),
  regexFile: file('urlfilter.regex.file', 'Rules of the regex filter; empty takes the shipped ones.'),
  regexRules: file('urlfilter.regex.rules', 'Rules of the regex filter as text, in place of its file.'),
  automatonFile: file('urlfilter.automaton.file', 'Rules of the automaton filter; empty takes the shipped ones.'),
  automatonRules: file('urlfilter.automaton.rules', 'Rules of the automaton filter as text, in place of its file.'),
  prefixFile: file('urlfilter.prefix.file', 'Rules of the prefix filter; empty takes the shipped ones.'),
  prefixRules: file('urlfilter.prefix.rules', 'Rules of the prefix filter as text, in place of its file.'),
  suffixFile: file('urlfilter.suffix.file', 'Rules of the suffix filter; empty takes the shipped ones.'),
  suffixRules: file('urlfilter.suffix.rules', 'Rules of the suffix filter as text, in place of its file.'),
  domainFile: file('urlfilter.domain.file', 'Hosts, domains and suffixes that the domain filter lets pass; without any it lets all pass.'),
  domainRules: file('urlfilter.domain.rules', 'Rules of the domain filter as text, in place of its file.'),
  domainDenylistFile: file('urlfilter.domaindenylist.file', 'Hosts, domains and suffixes that the domaindenylist filter rejects.'),
  domainDenylistRules: file('urlfilter.domaindenylist.rules', 'Rules of the domaindenylist filter as text, in place of its file.'),
  fastFile: file('urlfilter.fast.file', 'Rules of the fast filter; empty takes the shipped ones.'),
  fastUrlMaxLength: integer({
    property: 'urlfilter.fast.url.max.length',
    default: -1,
    min: -1,
    text: 'Fast filter: longer URLs are rejected; -1 is no limit.',
  }),
  fastPathMaxLength: integer({
    property: 'urlfilter.fast.url.path.max.length',
    default: -1,
    min: -1,
    text: 'Fast filter: URLs with a longer path are rejected; -1 is no limit.',
  }),
  fastQueryMaxLength: integer({
    property: 'urlfilter.fast.url.query.max.length',
    default: -1,
    min: -1,
    text: 'Fast filter: URLs with a longer query are rejected; -1 is no limit.',
  }),
  exemptionsFile: file(
    'db.ignore.external.exemptions.file',
    'External links that db.ignore.external.links lets through: rules as in the regex filter, asked about the target.',
  ),
  regexStepLimit: integer({
    property: 'millrace.regex.max.steps',
    nutch: false,
    default: 1_000_000,
    min: 1000,
    text: 'Steps that a pattern with back references may take on one URL (a million are about 30 ms); after them a filter rejects.',
  }),
}

const normalizerFields = {
  normalizers: stringList({
    property: 'urlnormalizer.order',
    default: 'basic, regex',
    text: 'URL normalizers in order: basic, regex, querystring, slash, host, protocol, ajax, pass. Nutch class names are understood.',
  }),
  loopCount: integer({
    property: 'urlnormalizer.loop.count',
    default: 1,
    min: 1,
    max: 100,
    text: 'How often a chain of --chain is run at most, while it still changes the URL. Those of a crawl are run until they change nothing, ten times or this often at most.',
  }),
  hostIdn: choice({
    property: 'urlnormalizer.basic.host.idn',
    choices: ['whatwg', '', 'toAscii', 'toUnicode'],
    default: 'whatwg',
    text: 'Host names beyond ASCII: whatwg makes them ASCII as browsers do, toAscii and toUnicode by IDNA 2003 or 2008; empty leaves them (Nutch).',
  }),
  hostIdna2008: boolean({
    property: 'urlnormalizer.basic.host.idna2008',
    default: false,
    text: 'Whether toAscii and toUnicode follow IDNA 2008 instead of 2003.',
  }),
  trimTrailingDot: boolean({
    property: 'urlnormalizer.basic.host.trim-trailing-dot',
    default: false,
    text: 'Whether a dot at the end of a host is taken away.',
  }),
  normalizeFile: file('urlnormalizer.regex.file', 'Rules of the regex normalizer (regex-normalize.xml); empty takes the shipped ones.'),
  hostsFile: file('urlnormalizer.hosts.file', 'Rules of the host normalizer: host and its replacement.'),
  slashesFile: file('urlnormalizer.slashes.file', 'Rules of the slash normalizer: host and + or -.'),
  protocolsFile: file('urlnormalizer.protocols.file', 'Rules of the protocol normalizer: host and protocol.'),
  protocolsRules: file('urlnormalizer.protocols.rules', 'Rules of the protocol normalizer as text, in place of its file.'),
}

const trapFields = {
  trapAction: choice({
    property: 'millrace.trap.action',
    nutch: false,
    choices: ['count', 'hold', 'off'],
    default: 'count',
    text: 'What happens to URLs that look like a crawler trap: they are counted and reported, or held back as well.',
  }),
  trapSegmentRepeats: integer({
    property: 'millrace.trap.segment.repeats',
    nutch: false,
    default: 3,
    min: 2,
    text: 'How often a path segment, or a run of them, must stand in one path to look like a trap.',
  }),
  trapDepth: integer({ property: 'millrace.trap.depth', nutch: false, default: 20, min: 1, text: 'More path segments than this look like a trap.' }),
  trapLength: integer({
    property: 'millrace.trap.length',
    nutch: false,
    default: 2000,
    min: 1,
    unit: 'characters',
    text: 'URLs longer than this look like a trap.',
  }),
  trapParameters: integer({
    property: 'millrace.trap.parameters',
    nutch: false,
    default: 20,
    min: 1,
    text: 'More query parameters than this look like a trap.',
  }),
  trapShapeUrls: integer({
    property: 'millrace.trap.shape.urls',
    nutch: false,
    default: 5000,
    min: 1,
    text: 'More URLs than this of one shape (the same host and path but for numbers and dates, the same parameter names) look like a trap.',
  }),
}

export const urlFields = {
  ...normalizerFields,
  ...named('chain', chains),
  ...named('order', orders),
  ...named('regexFile', regexFiles),
  ...filterFields,
  ...trapFields,
}
export type UrlConfig = ConfigOf<typeof urlFields>
