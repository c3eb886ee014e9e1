import { boolean, type ConfigOf, choice, integer, stringList } from './field.js'

export const linkFields = {
  maxOutlinks: integer({
    property: 'db.max.outlinks.per.page',
    default: 100,
    min: -1,
    text: 'Outlinks of one page that are followed: the first that survive normalizing and filtering; -1 for all.',
  }),
  maxOutlinkChars: integer({
    property: 'db.max.outlink.length',
    default: 4096,
    min: -1,
    unit: 'characters',
    text: 'Longer outlinks and redirect targets are dropped; -1 for no limit.',
  }),
  nofollowRels: stringList({
    property: 'millrace.link.nofollow.rels',
    nutch: false,
    default: '',
    text: 'Further values of rel that count as nofollow on a link, such as ugc, sponsored.',
  }),
  ignoresInternal: boolean({ property: 'db.ignore.internal.links', default: false, text: 'Whether links within a host (or domain) are dropped.' }),
  ignoresExternal: boolean({ property: 'db.ignore.external.links', default: false, text: 'Whether links to another host (or domain) are dropped.' }),
  ignoreMode: choice({
    property: 'db.ignore.external.links.mode',
    default: 'byHost',
    choices: ['byHost', 'byDomain'],
    text: 'What makes a link external: another host, or another registered domain.',
  }),
  ignoresAlsoRedirects: boolean({
    property: 'db.ignore.also.redirects',
    default: true,
    text: 'Whether ignored internal or external links are also ignored as redirect targets.',
  }),
  linkDbIgnoresInternal: boolean({
    property: 'linkdb.ignore.internal.links',
    default: true,
    text: 'Whether the LinkDb leaves out links within a host.',
  }),
  linkDbIgnoresExternal: boolean({
    property: 'linkdb.ignore.external.links',
    default: false,
    text: 'Whether the LinkDb leaves out links between hosts.',
  }),
  maxInlinks: integer({
    property: 'linkdb.max.inlinks',
    default: 10_000,
    min: 1,
    text: 'Inlinks of one URL that readlinkdb and documents are given; the LinkDb keeps them all.',
  }),
  maxAnchorChars: integer({
    property: 'linkdb.max.anchor.length',
    default: 100,
    min: 0,
    unit: 'characters',
    text: 'Length of an anchor that the LinkDb keeps.',
  }),
}
export type LinkConfig = ConfigOf<typeof linkFields>
