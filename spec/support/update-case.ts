import { configWith } from '../../lib/config/resolve-config.js'
import type { UpdateRules } from '../../lib/crawldb/rules/update-rule.js'
import type { CrawlDatum, FetchOutcome } from '../../lib/record/records.js'
import type { FetchStatus, ProtocolStatusName } from '../../lib/record/status.js'
import { storedUrl } from '../../lib/record/url.js'
import { createSchedule } from '../../lib/schedule/create-schedule.js'
import { createScoring } from '../../lib/score/create-scoring.js'
import type { LinkContribution } from '../../lib/score/scoring-filter.js'
import { dbDatum } from './db-datum.js'

export const url = storedUrl('http://a.example/')
export const dayMs = 86_400_000
export const oldModifiedMs = Date.UTC(2025, 0, 1)
export const fetchMs = Date.UTC(2026, 0, 10)
export const nowMs = fetchMs + 3_600_000
export const segment = '20260110000000'
export const signatureA = new Uint8Array([0xaa, 1])
export const signatureB = new Uint8Array([0xbb, 2])

export function rulesWith(values: Readonly<Record<string, unknown>> = {}): UpdateRules {
  const config = configWith(values)
  return { schedule: createSchedule(config.schedule), scoring: createScoring(config.score), db: config.db, nowMs }
}

const protocolStatusOf: Readonly<Record<FetchStatus, ProtocolStatusName>> = {
  fetch_success: 'success',
  fetch_retry: 'exception',
  fetch_redir_temp: 'temp_moved',
  fetch_redir_perm: 'moved',
  fetch_gone: 'notfound',
  fetch_notmodified: 'notmodified',
}

export function outcome(status: FetchStatus, parts: Partial<FetchOutcome> = {}): FetchOutcome {
  return {
    url,
    status,
    protocolStatus: protocolStatusOf[status],
    datum: dbDatum({ modifiedTimeMs: oldModifiedMs, metadata: { seed: 's' } }),
    timing: { startMs: fetchMs - 500, endMs: fetchMs },
    metadata: { _rs_: '36' },
    ...parts,
  }
}

/** The same fetch as Nutch's crawl_fetch would hold it. */
export function fetchedDatum(status: FetchStatus, parts: Partial<CrawlDatum> = {}): CrawlDatum & { readonly status: FetchStatus } {
  return { ...dbDatum({ fetchTimeMs: fetchMs, modifiedTimeMs: oldModifiedMs, metadata: { seed: 's', _rs_: '36' } }), ...parts, status }
}

export const links: readonly LinkContribution[] = [
  { from: storedUrl('http://b.example/'), score: 0.25, metadata: { k: 'b' } },
  { from: storedUrl('http://c.example/'), score: 0.5, metadata: { k: 'c' } },
]
