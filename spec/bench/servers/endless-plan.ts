import { type ChildServer, startChildServer } from './child-server.js'
import { requireAddress } from './loopback.js'

/** Hosts whose pages link on for ever, and front pages that change. */
export interface EndlessPlan {
  readonly hosts: readonly string[]
  /** Front pages of each host; every second one says something else each time. */
  readonly fronts: number
  readonly pageBytes: number
  /** What robots.txt asks for, host by host in turn; without any there is no robots.txt. */
  readonly crawlDelaysS: readonly number[]
}

/** What such a server has seen; robots.txt is not among it. */
export interface EndlessLog {
  readonly frontRequests: number
  /** Distinct pages that are no front pages. */
  readonly pages: number
  /** Requests for one of these that had been asked for before. */
  readonly repeats: number
}

/** @throws {Skipped} if the machine does not have the hosts' addresses */
export async function startEndlessServer(plan: EndlessPlan): Promise<ChildServer> {
  const last = plan.hosts.at(-1)
  if (last !== undefined) await requireAddress(last)
  return startChildServer('./endless-server.js', plan)
}

export function frontPath(number: number): string {
  return `/front/${number}`
}
