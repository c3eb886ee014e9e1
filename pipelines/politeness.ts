import { join } from 'node:path'
import { type AuditedRequest, PolitenessAuditor, type QueueAudit } from '../lib/explain/audit-politeness.js'
import { ownRequest } from '../lib/fetch/request-report.js'
import type { FetchOutcome, SideRequest } from '../lib/record/records.js'
import type { Segment } from '../lib/segment/segment.js'
import { SortedUpdates } from '../lib/store/sorted-updates.js'
import type { Update } from '../lib/store/update.js'
import type { JobContext } from './job.js'
import { readUntold } from './untold-requests.js'

export interface AuditedQueue extends QueueAudit {
  readonly queueId: string
}

/**
 * Judges how politely hosts were asked, by the outcomes of segments and what was noted beside them: queue after queue, in the order of their names. Sorts on disk, so that memory
 * does not depend on how much was fetched.
 */
export async function* auditPoliteness(context: JobContext, segments: readonly Segment[]): AsyncGenerator<AuditedQueue> {
  const { config, folder, signal } = context
  const sorted = new SortedUpdates({
    spillFolder: join(folder.spool, `politeness-${process.pid}`),
    memoryBytes: config.db.mergeMemoryBytes,
  })
  try {
    for (const segment of segments) {
      for await (const outcomes of segment.readOutcomes()) {
        signal?.throwIfAborted()
        await sorted.add(outcomes.flatMap(outcomeUpdates))
      }
    }
    for await (const requests of readUntold(context)) {
      await sorted.add(requests.map(request => requestUpdate(request, { kind: request.kind ?? 'robots', offsetMs: 0 })))
    }
    yield* auditSorted(sorted)
  } finally {
    await sorted.dispose()
  }
}

async function* auditSorted(sorted: SortedUpdates): AsyncGenerator<AuditedQueue> {
  const keysPerBatch = 1000
  let queueId: string | undefined
  let auditor = new PolitenessAuditor()
  for await (const groups of sorted.batches(keysPerBatch)) {
    for (const { key, payloads } of groups) {
      const id = key.slice(0, key.indexOf(separator))
      if (id !== queueId) {
        if (queueId !== undefined) yield { queueId, ...auditor.audit() }
        queueId = id
        auditor = new PolitenessAuditor()
      }
      for (const payload of payloads) auditor.add(JSON.parse(payload) as AuditedRequest) // requestUpdate wrote it
    }
  }
  if (queueId !== undefined) yield { queueId, ...auditor.audit() }
}

const separator = '\u0001'

/** The requests that an outcome tells of, by the machine's clock. */
function outcomeUpdates(outcome: FetchOutcome): Update[] {
  const { timing, robotsFetchedMs, sideRequests = [] } = outcome
  const { offsetMs = 0 } = timing
  return [
    ...sideRequests.map(request => requestUpdate(request, { kind: request.kind ?? 'robots', offsetMs })),
    ...ownRequest(outcome).map(request => requestUpdate(request, { kind: 'page', offsetMs, robotsFetchedMs })),
  ]
}

interface RequestFacts {
  readonly kind: AuditedRequest['kind']
  readonly offsetMs: number
  readonly robotsFetchedMs?: number | undefined
}

function requestUpdate(request: Omit<SideRequest, 'kind'>, { kind, offsetMs, robotsFetchedMs }: RequestFacts): Update {
  const { url, queueId, queueDelayMs: dueMs, delaySource: source, queueLimit = 1 } = request
  const startMs = request.startMs + offsetMs
  const audited: AuditedRequest = {
    url,
    startMs,
    endMs: request.endMs + offsetMs,
    dueMs,
    source,
    queueLimit,
    kind,
    robotsFetchedMs: robotsFetchedMs === undefined ? undefined : robotsFetchedMs + offsetMs,
  }
  return { key: `${queueId}${separator}${String(Math.max(0, startMs)).padStart(16, '0')}`, payload: JSON.stringify(audited) }
}
