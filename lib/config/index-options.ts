import { boolean, type ConfigOf, integer, secondsToMs, string, stringList } from './field.js'

export const indexFields = {
  addsDomain: boolean({ property: 'indexer.add.domain', default: false, text: 'Whether documents have the registered domain as a field.' }),
  maxTitleChars: integer({
    property: 'indexer.max.title.length',
    default: 100,
    min: -1,
    unit: 'characters',
    text: 'Length to which titles are cut; -1 for any.',
  }),
  maxContentChars: integer({
    property: 'indexer.max.content.length',
    default: -1,
    min: -1,
    unit: 'characters',
    text: 'Length to which content is cut; -1 for any.',
  }),
  deletes: boolean({ property: 'indexer.delete', default: false, text: 'Whether deletions are given for gone, redirected and duplicate pages.' }),
  deletesNoindex: boolean({
    property: 'indexer.delete.robots.noindex',
    default: false,
    text: 'Whether a deletion is given for pages that ask not to be indexed.',
  }),
  deletesFailedParse: boolean({
    property: 'parser.delete.failed.parse',
    default: false,
    text: 'Whether a deletion is given for pages that could not be parsed.',
  }),
  deletesSkipped: boolean({
    property: 'indexer.delete.skipped.by.indexingfilter',
    default: false,
    text: 'Whether a deletion is given for pages that an indexing filter leaves out.',
  }),
  skipsNotModified: boolean({
    property: 'indexer.skip.notmodified',
    default: false,
    text: 'Whether pages that have not changed since their last fetch are left out.',
  }),
  addsTypeParts: boolean({
    property: 'moreIndexingFilter.indexMimeTypeParts',
    default: true,
    text: 'Whether the field type also has the two parts of the media type.',
  }),
  deduplicatesAnchors: boolean({
    property: 'anchorIndexingFilter.deduplicate',
    default: false,
    text: 'Whether anchors that differ only in case or source host stand once.',
  }),
  contentMetadataKeys: stringList({
    property: 'index.content.md',
    default: '',
    text: 'Response headers that become fields; they are read from the WARC files.',
  }),
  parseMetadataKeys: stringList({
    property: 'index.parse.md',
    default: 'metatag.description,metatag.keywords',
    text: 'Parse metadata that become fields of the same name.',
  }),
  dbMetadataKeys: stringList({ property: 'index.db.md', default: '', text: 'CrawlDb metadata that become fields.' }),
  staticFields: stringList({
    property: 'index.static',
    default: '',
    text: 'Fields that every document gets: name:value, several values separated by spaces.',
  }),
  bulkDocuments: integer({ property: 'index.bulk.documents', nutch: false, default: 500, min: 1, text: 'Documents of one bulk request at most.' }),
  bulkBytes: integer({
    property: 'index.bulk.bytes',
    nutch: false,
    default: 5_000_000,
    min: 1,
    unit: 'bytes',
    text: 'Size of one bulk request at most; a larger document goes alone.',
  }),
  bulkRetries: integer({
    property: 'index.bulk.retries',
    nutch: false,
    default: 5,
    min: 0,
    text: 'How often a bulk request, or a document of one, is tried again.',
  }),
  bulkBackoffMs: secondsToMs({
    property: 'index.bulk.backoff',
    nutch: false,
    default: 1,
    min: 0,
    text: 'Time before the first new try; doubles with each.',
  }),
  bulkTimeoutMs: secondsToMs({ property: 'index.bulk.timeout', nutch: false, default: 60, min: 1, text: 'Time that one bulk request may take.' }),
  user: string({
    property: 'index.user',
    nutch: false,
    default: '',
    secret: true,
    text: 'User and password of the search engine, as user:password.',
  }),
}
export type IndexConfig = ConfigOf<typeof indexFields>
