import { boolean, type ConfigOf, choice, integer } from './field.js'

export const sitemapFields = {
  isStrict: boolean({
    property: 'sitemap.strict.parsing',
    default: true,
    text: 'Whether a sitemap may name only URLs under its own folder, or of another host whose robots.txt names it, as the protocol says.',
  }),
  maxBytes: integer({
    property: 'sitemap.size.max',
    default: 52_428_800,
    min: 1024,
    unit: 'bytes',
    text: 'Unpacked size from which a sitemap is warned of; at ten times as much reading ends.',
  }),
  maxRedirects: integer({ property: 'sitemap.redir.max', default: 3, min: 0, text: 'Redirects that are followed to a sitemap.' }),
  usesDefaultUrl: boolean({
    property: 'sitemap.url.default.sitemap.xml',
    default: true,
    text: 'Whether /sitemap.xml is tried for a host whose robots.txt names no sitemap.',
  }),
  overwritesExisting: boolean({
    property: 'sitemap.url.overwrite.existing',
    default: false,
    text: 'Whether score, interval and modified time of URLs that the CrawlDb knows are taken from the sitemap.',
  }),
  maxDepth: integer({
    property: 'millrace.sitemap.max.depth',
    nutch: false,
    default: 5,
    min: 0,
    text: 'How deep sitemap indexes may name other indexes.',
  }),
  followedInCrawl: choice({
    property: 'millrace.sitemap.follow',
    nutch: false,
    default: 'never',
    choices: ['never', 'once', 'always'],
    text: 'Whether crawl reads the sitemaps of the hosts it meets: never, once for each host, or again in every round.',
  }),
}
export type SitemapConfig = ConfigOf<typeof sitemapFields>
