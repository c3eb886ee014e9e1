import { boolean, type ConfigOf, integer, number, string, stringList } from './field.js'

export const scoreFields = {
  order: stringList({
    property: 'scoring.filter.order',
    default: 'opic',
    text: 'Scoring filters in order: opic, depth, orphan, metadata, urlmeta; Nutch class names are understood.',
  }),
  internalFactor: number({ property: 'db.score.link.internal', default: 1.0, text: 'OPIC: factor of links within a host.' }),
  externalFactor: number({ property: 'db.score.link.external', default: 1.0, text: 'OPIC: factor of links to another host.' }),
  countsFiltered: boolean({
    property: 'db.score.count.filtered',
    default: false,
    text: 'OPIC: whether links that were filtered out share in the score.',
  }),
  indexPower: number({ property: 'indexer.score.power', default: 0.5, text: 'OPIC: the boost of a document is its score to this power.' }),
  depthMax: integer({ property: 'scoring.depth.max', default: 1000, min: 1, text: 'Depth: links further from a seed are dropped.' }),
  depthOverridePattern: string({
    property: 'scoring.depth.override.pattern',
    default: '',
    text: 'Depth: pages whose URL matches get scoring.depth.max.override instead.',
  }),
  depthMaxOverride: integer({
    property: 'scoring.depth.max.override',
    default: 1000,
    min: 1,
    text: 'Depth: limit for pages that match scoring.depth.override.pattern.',
  }),
  orphanGoneAfterS: integer({
    property: 'scoring.orphan.mark.gone.after',
    default: 2_592_000,
    unit: 's',
    text: 'Orphan: a page without an inlink for this long becomes db_gone. With orphan among the filters, pages are asked for in full, for a 304 shows no links.',
  }),
  orphanAfterS: integer({
    property: 'scoring.orphan.mark.orphan.after',
    default: 3_456_000,
    unit: 's',
    text: 'Orphan: a page without an inlink for this long becomes db_orphan.',
  }),
  dbMetadataKeys: stringList({ property: 'scoring.db.md', default: '', text: 'Metadata: CrawlDb keys handed to the page.' }),
  contentMetadataKeys: stringList({ property: 'scoring.content.md', default: '', text: 'Metadata: content keys handed to the parse.' }),
  parseMetadataKeys: stringList({ property: 'scoring.parse.md', default: '', text: 'Metadata: parse keys handed to outlinks.' }),
  urlmetaTags: stringList({ property: 'urlmeta.tags', default: '', text: 'Metadata: seed keys carried to every page reached from the seed.' }),
}
export type ScoreConfig = ConfigOf<typeof scoreFields>
