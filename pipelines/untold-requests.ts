import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ownRequest } from '../lib/fetch/request-report.js'
import { machineOffsetMs } from '../lib/log/clock.js'
import type { FetchedPage } from '../lib/record/exchange.js'
import { sideRequestFromJson } from '../lib/record/fetch-json.js'
import { formatLine, parseLine } from '../lib/record/line-format.js'
import type { SideRequest } from '../lib/record/records.js'
import { eachLine, readLineBatches } from '../lib/segment/read-lines.js'
import { diskErrorOf } from '../lib/store/disk-errors.js'
import type { JobContext } from './job.js'

/** `DIR/requests.ndjson`: requests that no outcome of a segment tells of, by the machine's clock. Only ever appended to. */
function fileOf({ folder }: Pick<JobContext, 'folder'>): string {
  return join(folder.root, 'requests.ndjson')
}

/** Adds to what `millrace politeness` is to know. @throws {CrawlError} DISK_FULL, IO_FAILED */
export async function noteUntold(context: Pick<JobContext, 'folder' | 'pacingClock'>, requests: readonly SideRequest[]): Promise<void> {
  if (requests.length === 0) return
  const { pacingClock } = context
  const offsetMs = machineOffsetMs(pacingClock)
  const lines = requests.map(request => formatLine(request.url, { ...request, startMs: request.startMs + offsetMs, endMs: request.endMs + offsetMs }))
  try {
    await appendFile(fileOf(context), lines.join(''))
  } catch (error) {
    throw diskErrorOf(error, fileOf(context))
  }
}

/** What `noteUntold` noted. @throws {CrawlError} LINE_INVALID */
export async function* readUntold(context: Pick<JobContext, 'folder'>): AsyncGenerator<SideRequest[]> {
  for await (const { text } of readLineBatches(fileOf(context))) {
    const requests: SideRequest[] = []
    eachLine(text, line => requests.push(sideRequestFromJson(parseLine(line).value)))
    yield requests
  }
}

/** The requests that outcomes tell of, as requests of another kind: of pages that are stored in no segment. */
export function requestsOf(pages: readonly FetchedPage[], kind: NonNullable<SideRequest['kind']>): SideRequest[] {
  return pages.flatMap(({ outcome }) => [...(outcome.sideRequests ?? []), ...ownRequest(outcome).map(request => ({ ...request, kind }))])
}
