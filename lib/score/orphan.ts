import type { ScoreConfig } from '../config/score-options.js'
import { metadataKeys } from '../record/metadata.js'
import type { ScoringFilter } from './scoring-filter.js'

/** Keeps the time at which a page was last seen with an inlink, epoch seconds, and marks pages gone and then orphaned that had none for too
 *  long (Nutch's OrphanScoringFilter). Pages that never had an inlink while the filter was on are left alone. */
export function orphanScoring(config: ScoreConfig): ScoringFilter {
  return {
    name: 'orphan',
    update({ datum, links, nowMs }) {
      if (links.length === 0) return datum
      return { ...datum, metadata: { ...datum.metadata, [metadataKeys.orphan]: String(Math.floor(nowMs / 1000)) } }
    },
    orphaned(datum, nowMs) {
      const seenS = Number(datum.metadata[metadataKeys.orphan] ?? Number.NaN)
      const unseenS = Math.floor(nowMs / 1000) - seenS
      const status = unseenS > config.orphanAfterS ? 'db_orphan' : unseenS > config.orphanGoneAfterS ? 'db_gone' : datum.status
      return status === datum.status ? datum : { ...datum, status }
    },
  }
}
