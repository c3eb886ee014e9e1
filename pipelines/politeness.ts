import { join } from 'node:path'
import { type AuditedRequest, PolitenessAuditor, type QueueAudit } from '../lib/explain/audit-politeness.js'
import type { FetchOutcome } from '../lib/record/records.js'
import type { Segment } from '../lib/segment/segment.js'
import { SortedUpdates } from '../lib/store/sorted-updates.js'
import type { Update } from '../lib/store/update.js'
import { hostOf, queueIdOf } from '../lib/url/hosts.js'
import type { JobContext } from './job.js'

export interface AuditedQueue extends QueueAudit {
  readonly queueId: string
}

/**
 * Judges how politely hosts were asked, by the outcomes of segments: queue after queue, in the order of their names. Sorts on disk, so that memory
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
        await sorted.add(outcomes.flatMap(outcome => requestUpdates(context, outcome)))
      }
    }
    yield* auditSorted(sorted, config.fetch.maxInFlightPerQueue)
  } finally {
    await sorted.dispose()
  }
}

async function* auditSorted(sorted: SortedUpdates, maxAtOnce: number): AsyncGenerator<AuditedQueue> {
  const keysPerBatch = 1000
  let queueId: string | undefined
  let auditor = new PolitenessAuditor(maxAtOnce)
  for await (const groups of sorted.batches(keysPerBatch)) {
    for (const { key, payloads } of groups) {
      const id = key.slice(0, key.indexOf(separator))
      if (id !== queueId) {
        if (queueId !== undefined) yield { queueId, ...auditor.audit() }
        queueId = id
        auditor = new PolitenessAuditor(maxAtOnce)
      }
      for (const payload of payloads) auditor.add(JSON.parse(payload) as AuditedRequest) // requestUpdate wrote it
    }
  }
  if (queueId !== undefined) yield { queueId, ...auditor.audit() }
}

const separator = '\u0001'

/** The requests that an outcome tells of, by the machine's clock. */
function requestUpdates({ config }: JobContext, outcome: FetchOutcome): Update[] {
  const { url, timing, queueDelayMs, delaySource, robotsFetchedMs, address, sideRequests = [] } = outcome
  const { offsetMs = 0 } = timing
  const requests = sideRequests.map(side => {
    const { startMs, endMs, queueDelayMs: dueMs, delaySource: source } = side
    return requestUpdate(side.queueId, { url: side.url, startMs: startMs + offsetMs, endMs: endMs + offsetMs, dueMs, source, isSide: true })
  })
  if (queueDelayMs === undefined || delaySource === undefined) return requests
  const { queueMode } = config.fetch
  const own: AuditedRequest = {
    url,
    startMs: timing.startMs + offsetMs,
    endMs: timing.endMs + offsetMs,
    dueMs: queueDelayMs,
    source: delaySource,
    isSide: false,
    robotsFetchedMs: robotsFetchedMs === undefined ? undefined : robotsFetchedMs + offsetMs,
  }
  return [...requests, requestUpdate(queueMode === 'byIP' ? (address ?? hostOf(url)) : queueIdOf(url, queueMode), own)]
}

function requestUpdate(queueId: string, request: AuditedRequest): Update {
  return { key: `${queueId}${separator}${String(Math.max(0, request.startMs)).padStart(16, '0')}`, payload: JSON.stringify(request) }
}
