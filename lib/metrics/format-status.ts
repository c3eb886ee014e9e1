import type { QueueFacts, QueueWait, StatusFacts } from './crawl-status.js'

/** One line for people: what a crawl does now. */
export function formatProgress(facts: StatusFacts, diskFreeBytes?: number): string {
  const { phase, fetched, outcomes, perSecondNow, perSecond, inFlight, queues, queued, errors, bytes } = facts
  const parts = [
    phase,
    `${fetched} pages of ${outcomes} fetches, ${perSecondNow}/s now, ${perSecond}/s overall`,
    `${inFlight} in flight`,
    ...(queues === undefined ? [] : [hostsText(queues)]),
    ...(queued === undefined ? [] : [`${queued} queued on disk`]),
    ...(Object.keys(errors).length === 0 ? [] : [`errors ${countsText(errors)}`]),
    formatBytes(bytes),
    ...(diskFreeBytes === undefined ? [] : [`${formatBytes(diskFreeBytes)} free`]),
    ...timeLeft(facts),
  ]
  return parts.join(' | ')
}

function hostsText({ active, ready, waiting, waitingBy }: QueueFacts): string {
  return `hosts ${active} active, ${ready} ready, ${waiting} waiting${waiting === 0 ? '' : ` (${countsText(waitingBy)})`}`
}

/** Against the limits: the time left, or the time that the pages left take at the rate of now. */
function timeLeft({ phase, maxTimeMs, maxPages, elapsedMs, fetched, perSecondNow }: StatusFacts): string[] {
  if (phase === 'ended') return []
  const byTimeMs = maxTimeMs === undefined ? Number.POSITIVE_INFINITY : maxTimeMs - elapsedMs
  const byPagesMs = maxPages === undefined || perSecondNow === 0 ? Number.POSITIVE_INFINITY : ((maxPages - fetched) / perSecondNow) * 1000
  const leftMs = Math.min(byTimeMs, byPagesMs)
  return Number.isFinite(leftMs) ? [`${formatDuration(Math.max(0, leftMs))} left`] : []
}

/** Which hosts are waited for, how long, and why. */
export function formatSlow(slowest: readonly QueueWait[]): string {
  return slowest
    .map(({ queueId, waitMs, delayMs, source, failures }) => {
      const failed = failures > 0 ? `, ${failures} failures in a row` : ''
      return `  ${queueId}: ${formatDuration(waitMs)} to wait; delay ${formatDuration(delayMs)} (${source}${failed})`
    })
    .join('\n')
}

export function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`
}

/** `950 ms`, `12.3 s`, `4 m 10 s`, `2 h 5 m`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = ms / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes} m ${Math.floor(seconds % 60)} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} m`
}
