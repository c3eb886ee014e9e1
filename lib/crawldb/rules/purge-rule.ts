import type { DbConfig } from '../../config/db-options.js'
import type { DbDatum } from '../../record/records.js'

/** Whether the record is to be deleted: gone under `db.update.purge.404`, orphaned under `db.update.purge.orphans`. */
export function isPurged({ status }: DbDatum, { purgesGone, purgesOrphans }: Pick<DbConfig, 'purgesGone' | 'purgesOrphans'>): boolean {
  return (status === 'db_gone' && purgesGone) || (status === 'db_orphan' && purgesOrphans)
}
