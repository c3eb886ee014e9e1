import { setTimeout as sleep } from 'node:timers/promises'
import { CrawlError } from '../lib/errors/crawl-error.js'
import type { BulkTarget } from '../lib/index/bulk-request.js'
import { BulkWriter } from '../lib/index/bulk-writer.js'
import { type IndexChange, type IndexJob, indexChanges } from './index-documents.js'
import type { IndexState } from './index-state.js'

export interface SendJob extends IndexJob {
  readonly target: BulkTarget
  readonly state: IndexState
  readonly mapChange: (change: IndexChange) => IndexChange
  /** Sent in place of what segments give; nothing is noted then. */
  readonly changes?: AsyncIterable<IndexChange> | undefined
}

/** What became of the documents. */
export interface SendReport {
  readonly added: number
  readonly deleted: number
  readonly refused: number
  readonly retries: number
}

/**
 * Sends what the engine does not have; how far it came is noted with each answer, so that a run that was killed goes on there. A segment that the CrawlDb
 * has not taken in yet is not noted as done: its pages come with a later run. So do documents that the engine was too busy for, and what stands behind
 * them in their segment; what it refuses for good does not.
 */
export async function sendDocuments(job: SendJob): Promise<SendReport> {
  const { context, target, state, mapChange } = job
  const { config, log, counters, signal } = context
  const applied = new Set(await job.crawlDb.ledger.applied())
  let [segment, putOffBefore] = ['', 0]
  const isNoted = (name: string): boolean => applied.has(name) && writer.putOff === putOffBefore
  const writer = new BulkWriter({
    target,
    config: config.index,
    log,
    counters,
    signal,
    wait: async (ms, stop) => void (await sleep(ms, undefined, stop === undefined ? {} : { signal: stop })),
    onSent: async key => {
      if (isNoted(segment)) await state.noteSent(segment, key)
    },
  })
  const fromSegments: IndexJob = {
    ...job,
    progressOf: name => state.progressOf(name),
    onSegmentStart: name => {
      segment = name
      putOffBefore = writer.putOff
    },
    onSegmentDone: async name => {
      await writer.flush()
      if (isNoted(name)) await state.noteDone(name)
    },
  }
  for await (const change of job.changes ?? indexChanges(fromSegments)) await writer.add(mapChange(change), change.key)
  await writer.flush()
  return {
    added: counters.get('index/added'),
    deleted: counters.get('index/deleted'),
    refused: counters.get('index/refused'),
    retries: counters.get('index/bulk_retries'),
  }
}

/** @throws {CrawlError} IO_FAILED if the engine refused some: each was logged with its reason */
export function checkRefused({ refused }: SendReport, { url }: BulkTarget): void {
  if (refused > 0) throw new CrawlError('IO_FAILED', `${url} refused ${refused} documents; the log names them`)
}
