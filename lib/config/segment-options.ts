import { boolean, type ConfigOf, choice, integer } from './field.js'

export const segmentFields = {
  warcFileBytes: integer({
    property: 'millrace.warc.max.file.bytes',
    nutch: false,
    unit: 'bytes',
    default: 1_000_000_000,
    min: 1,
    text: 'Size at which a WARC file is closed and the next one begun.',
  }),
  gzipLevel: integer({
    property: 'millrace.warc.gzip.level',
    nutch: false,
    default: 1,
    min: 1,
    max: 9,
    text: 'Compression of WARC records: 1 is fast, 9 small.',
  }),
  keepsRequests: boolean({
    property: 'store.http.request',
    default: true,
    text: 'Whether WARC files hold the requests too (Nutch: false).',
  }),
  keepsMetadata: boolean({
    property: 'millrace.warc.metadata',
    nutch: false,
    default: false,
    text: 'Whether WARC files hold a metadata record for each page: how long it took, and the charset that it was read in.',
  }),
  syncs: choice({
    property: 'millrace.segment.sync',
    nutch: false,
    choices: ['roll', 'batch', 'never'],
    default: 'roll',
    text: 'When segment files are forced to the disk: at roll and seal, after each batch of pages, or when the system likes.',
  }),
  compresses: boolean({
    property: 'millrace.segment.compress',
    nutch: false,
    default: true,
    text: 'Whether the NDJSON parts are compressed when a segment is sealed.',
  }),
}
export type SegmentConfig = ConfigOf<typeof segmentFields>
