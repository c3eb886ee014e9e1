import { type ChildServer, startChildServer } from './child-server.js'
import { requireAddress } from './loopback.js'

/** Hosts that serve numbered pages. */
export interface PagePlan {
  readonly hosts: readonly string[]
  /** Further hosts, which answer after `answerMs`. */
  readonly slowHosts: readonly string[]
  readonly answerMs: number
  readonly pagesPerHost: number
  readonly pageBytes: number
  /** Whether pages link to each other. */
  readonly hasLinks: boolean
  /** Whether requests for any host are answered, as by a forward proxy; then all requests are counted, and nothing is logged. */
  readonly isProxy: boolean
  /** Number of distinct pages of the fast hosts at which the server gives word. */
  readonly wanted: number
}

/** What such a server has seen. */
export interface PageLog {
  readonly hosts: readonly HostLog[]
  /** When each request for a page came, epoch ms. */
  readonly pageTimesMs: readonly number[]
}

/** Requests for the pages of one host; robots.txt is not among them. */
export interface HostLog {
  readonly host: string
  readonly isSlow: boolean
  requests: number
  /** Distinct pages, in the order they were first asked for. */
  readonly pages: number[]
  /** When the first and the last request for a page came, epoch ms. */
  readonly firstMs: number
  lastMs: number
}

const nothingSpecial = { slowHosts: [], answerMs: 0, pageBytes: 2000, hasLinks: false, isProxy: false, wanted: 0 }

/** @throws {Skipped} if the machine does not have the hosts' addresses */
export async function startPageServer(plan: Pick<PagePlan, 'hosts' | 'pagesPerHost'> & Partial<PagePlan>): Promise<ChildServer> {
  for (const host of [plan.hosts.at(-1), plan.slowHosts?.at(-1)]) if (host !== undefined) await requireAddress(host)
  return startChildServer('./page-server.js', { ...nothingSpecial, ...plan })
}

export function pagePath(number: number): string {
  return number === 0 ? '/' : `/page/${number}.html`
}

/** The number of the page with this path, or undefined. */
export function pageOfPath(path: string): number | undefined {
  if (path === '/') return 0
  const number = /^\/page\/(\d+)\.html$/.exec(path)?.[1]
  return number === undefined ? undefined : Number(number)
}
