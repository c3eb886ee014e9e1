import type { LookupAddress } from 'node:dns'
import type { Clock } from '../log/clock.js'
import { askNameServers, type Resolve } from './name-servers.js'

export interface ResolverOptions {
  readonly clock: Clock
  readonly ttlMs: number
  /** How long a failure is kept. */
  readonly negativeTtlMs: number
  /** 0 for both versions. @defaultValue 0 */
  readonly family?: 0 | 4 | 6
  /** Hosts kept. @defaultValue 10000 */
  readonly maxHosts?: number
  /** @defaultValue name servers, then the system's resolver */
  readonly lookup?: Resolve
}

interface Entry {
  readonly answer: Promise<readonly LookupAddress[]>
  expiresMs: number
}

/** A resolver that asks once for a host that many wait for, and keeps answers and failures for a while. */
export function createResolver({ clock, ttlMs, negativeTtlMs, family = 0, maxHosts = 10_000, lookup }: ResolverOptions): Resolve {
  const entries = new Map<string, Entry>()
  const ask = lookup ?? askNameServers({ family })
  return hostname => {
    const known = entries.get(hostname)
    if (known !== undefined && known.expiresMs > clock.nowMs()) return known.answer
    const answer = ask(hostname)
    const entry: Entry = { answer, expiresMs: Number.POSITIVE_INFINITY }
    entries.delete(hostname)
    entries.set(hostname, entry)
    const keepFor = (keepMs: number) => (): void => {
      entry.expiresMs = clock.nowMs() + keepMs
    }
    answer.then(keepFor(ttlMs), keepFor(negativeTtlMs))
    for (const oldest of entries.keys()) {
      if (entries.size <= maxHosts) break
      entries.delete(oldest)
    }
    return answer
  }
}
