import { boolean, type ConfigOf, choice, integer, secondsToMs, string, stringList } from './field.js'

export const parseFields = {
  htmlReader: choice({
    property: 'parser.html.impl',
    default: 'htmlparser2',
    choices: ['htmlparser2', 'sax'],
    aliases: { neko: 'htmlparser2', tagsoup: 'sax' },
    text: 'What reads HTML: htmlparser2, or sax in its loose mode. Nutch’s neko and tagsoup are understood as these two.',
  }),
  timeoutMs: secondsToMs({ property: 'parser.timeout', default: 30, text: 'Time that one page may take; -1 for any.' }),
  defaultCharset: string({
    property: 'parser.character.encoding.default',
    default: 'windows-1252',
    text: 'Charset of a page that declares none and that the detector is not sure of.',
  }),
  minCharsetConfidence: integer({
    property: 'encodingdetector.charset.min.confidence',
    default: 10,
    min: -1,
    max: 100,
    text: 'How sure (0…100) the detector must be of the charset of a page that declares none; -1 turns it off.',
  }),
  sniffsType: boolean({
    property: 'mime.type.magic',
    default: true,
    text: 'Whether the content is asked for its type, with Content-Type as a hint; otherwise Content-Type is believed.',
  }),
  skipsTruncated: boolean({ property: 'parser.skip.truncated', default: true, text: 'Whether pages that were cut off are left unparsed.' }),
  storesText: boolean({ property: 'parser.store.text', default: true, text: 'Whether the text is kept in the segment.' }),
  filtersUrls: boolean({ property: 'parse.filter.urls', default: true, text: 'Whether outlinks are filtered.' }),
  normalizesUrls: boolean({
    property: 'parse.normalize.urls',
    default: true,
    text: 'Whether outlinks are normalized by the chain of scope outlink; otherwise they are only made canonical.',
  }),
  usesFormAction: boolean({
    property: 'parser.html.form.use_action',
    default: false,
    text: 'Whether the action of a GET form, and formaction of its buttons, is an outlink.',
  }),
  ignoredLinkElements: stringList({
    property: 'parser.html.outlinks.ignore_tags',
    default: '',
    text: 'Elements whose links are left out, such as img, script, link.',
  }),
  ignoredLinkRels: stringList({
    property: 'millrace.parse.ignored.rels',
    nutch: false,
    default: '',
    text: 'Values of rel on link elements that make them no outlink, such as preconnect, dns-prefetch, stylesheet.',
  }),
  readsNoscript: boolean({
    property: 'millrace.parse.noscript',
    nutch: false,
    default: true,
    text: 'Whether noscript is read, as by a browser without scripts.',
  }),
  metaNames: stringList({
    property: 'metatags.names',
    default: 'description,keywords',
    text: 'Meta elements (name or property) that go into the parse metadata as metatag.NAME; * for all.',
  }),
  headingElements: stringList({ property: 'headings', default: 'h1,h2', text: 'Headings that go into the parse metadata.' }),
  maxLinks: integer({
    property: 'millrace.parse.max.links',
    nutch: false,
    default: 100_000,
    min: 0,
    text: 'Links read from one page; those after them are counted.',
  }),
  maxTextChars: integer({
    property: 'millrace.parse.max.text',
    nutch: false,
    unit: 'characters',
    default: 8_000_000,
    min: 0,
    text: 'Length of the text kept of one page.',
  }),
  maxAttributeChars: integer({
    property: 'millrace.parse.max.attribute',
    nutch: false,
    unit: 'characters',
    default: 65_536,
    min: 64,
    text: 'Longest attribute value or XML text that is read; a longer one is left out.',
  }),
  maxAnchorChars: integer({
    property: 'millrace.parse.max.anchor',
    nutch: false,
    unit: 'characters',
    default: 1000,
    min: 0,
    text: 'Length of an anchor text that is kept.',
  }),
  maxDepth: integer({
    property: 'millrace.parse.max.depth',
    nutch: false,
    default: 512,
    min: 8,
    text: 'Depth of nesting that is followed: deeper SVG is read flat, deeper XML is refused.',
  }),
}
export type ParseConfig = ConfigOf<typeof parseFields>
