import type { Metadata } from '../record/metadata.js'
import type { CrawlDatum, DbDatum, Link, Outlink } from '../record/records.js'
import type { Url } from '../record/url.js'

/** What one link brings to the page it leads to. */
export interface LinkContribution {
  readonly from: Url
  readonly score: number
  /** Becomes the metadata of a page that is new to the CrawlDb. */
  readonly metadata: Metadata
  /** Interval for a page that is new to the CrawlDb, seconds; without it the schedule's. */
  readonly fetchIntervalS?: number
}

/** A parsed page whose links are given their share. */
export interface DistributedPage {
  /** The page's record as its fetch list held it. */
  readonly from: CrawlDatum
  readonly parseMetadata: Metadata
  /** Links found on the page, before rules dropped any. */
  readonly extractedCount: number
  /** Links that the outlink rules left. */
  readonly links: readonly Outlink[]
}

/** A record whose update is all but done: its score is still to be found. */
export interface ScoreUpdate {
  /** The record before this update. */
  readonly old: DbDatum | undefined
  /** The record as it will be, but for its score. */
  readonly datum: DbDatum
  /** The links that count, in any order. */
  readonly links: readonly LinkContribution[]
  /** Time of the update, epoch ms. */
  readonly nowMs: number
}

/** One way to score (Nutch's ScoringFilter); every hook is pure and may be left out. */
export interface ScoringFilter {
  readonly name: string
  /** Changes whenever `generatorSortValue` would answer otherwise; absent if it does not take part. */
  readonly fingerprint?: string
  /** A record that comes from a seed list. */
  injected?(datum: DbDatum): DbDatum
  /** A record that comes from a link. */
  initial?(datum: DbDatum): DbDatum
  /** How much a record should be fetched before others; takes what the filter before gave, 1 for the first. */
  generatorSortValue?(datum: DbDatum, sort: number): number
  /** Links with what they contribute; may drop some. */
  distribute?(page: DistributedPage, links: readonly Link[]): readonly Link[]
  update?(update: ScoreUpdate): DbDatum
  /** A record that no fetch and no link has touched in a scan of the whole db. */
  orphaned?(datum: DbDatum, nowMs: number): DbDatum
  /** Boost of a document; takes what the filter before gave, 1 for the first. */
  indexerBoost?(datum: DbDatum, boost: number): number
}
