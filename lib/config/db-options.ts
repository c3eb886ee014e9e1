import { boolean, type ConfigOf, integer, number, stringList } from './field.js'

export const dbFields = {
  isAdditionAllowed: boolean({
    property: 'db.update.additions.allowed',
    default: true,
    text: 'Whether updatedb adds the URLs that pages link to; false keeps the crawl to what was injected.',
  }),
  maxInlinks: integer({
    property: 'db.update.max.inlinks',
    default: 10_000,
    min: 1,
    text: 'Links that count towards the score of one URL in one update; the best are kept.',
  }),
  purgesGone: boolean({
    property: 'db.update.purge.404',
    default: false,
    text: 'Whether updatedb, and crawl after each round or at its end, delete records that are db_gone, and inject those that seeds name. Looks at every record.',
  }),
  purgesOrphans: boolean({
    property: 'db.update.purge.orphans',
    default: false,
    text: 'Whether updatedb, and crawl after each round or at its end, delete records that are db_orphan. Looks at every record.',
  }),
  normalizesExisting: boolean({
    property: 'crawldb.url.normalizers',
    default: false,
    text: 'Whether updatedb normalizes the targets of links; refilter --normalize does so with what the db holds.',
  }),
  filtersExisting: boolean({
    property: 'crawldb.url.filters',
    default: false,
    text: 'Whether updatedb deletes records that the URL filters reject, of those it touches; refilter looks at all.',
  }),
  retryMax: integer({
    property: 'db.fetch.retry.max',
    default: 3,
    min: 1,
    max: 255,
    text: 'The failure in a row that makes a URL db_gone.',
  }),
  parseMetadataKeys: stringList({
    property: 'db.parsemeta.to.crawldb',
    default: '',
    text: 'Parse metadata that updatedb copies into the CrawlDb.',
  }),
  injectedScore: number({
    property: 'db.score.injected',
    default: 1.0,
    min: -3.4e38,
    max: 3.4e38,
    text: 'Score of a seed that names none.',
  }),
  scoreQuantiles: stringList({
    property: 'db.stats.score.quantiles',
    default: '.01,.05,.1,.2,.25,.3,.4,.5,.6,.7,.75,.8,.9,.95,.99',
    text: 'Quantiles of the score that readdb --stats prints.',
  }),
  hostPercentiles: stringList({
    property: 'hostdb.percentiles',
    default: '50,75,95,99',
    text: 'Percentiles of the response time that readhostdb prints.',
  }),
  writeBufferBytes: integer({
    property: 'millrace.db.write.buffer',
    nutch: false,
    unit: 'bytes',
    default: 32 * 1024 * 1024,
    min: 65_536,
    text: 'Memory that LevelDB fills before it writes a table of the CrawlDb; the LinkDb takes an eighth.',
  }),
  cacheBytes: integer({
    property: 'millrace.db.cache',
    nutch: false,
    unit: 'bytes',
    default: 4 * 1024 * 1024,
    min: 0,
    text: 'Memory for unpacked LevelDB blocks of the CrawlDb; the LinkDb takes an eighth.',
  }),
  mergeMemoryBytes: integer({
    property: 'millrace.merge.memory',
    nutch: false,
    unit: 'bytes',
    default: 8 * 1024 * 1024,
    min: 65_536,
    text: 'Memory that the sorted merge fills with updates before it spills a run to disk.',
  }),
  batchRecords: integer({
    property: 'millrace.merge.batch',
    nutch: false,
    default: 1000,
    min: 1,
    text: 'Keys that one atomic batch of the sorted merge changes.',
  }),
}
export type DbConfig = ConfigOf<typeof dbFields>
