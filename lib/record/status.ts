/** Status codes and names of Nutch's CrawlDatum (org.apache.nutch.crawl.CrawlDatum). */
export const statusCodes = {
  db_unfetched: 1,
  db_fetched: 2,
  db_gone: 3,
  db_redir_temp: 4,
  db_redir_perm: 5,
  db_notmodified: 6,
  db_duplicate: 7,
  db_orphan: 8,
  db_parse_failed: 9,
  fetch_success: 33,
  fetch_retry: 34,
  fetch_redir_temp: 35,
  fetch_redir_perm: 36,
  fetch_gone: 37,
  fetch_notmodified: 38,
  signature: 65,
  injected: 66,
  linked: 67,
  parse_metadata: 68,
  parse_failed: 69,
} as const

/** The name of any status. */
export type Status = keyof typeof statusCodes
export type StatusCode = (typeof statusCodes)[Status]
/** What a record of the CrawlDb may have become. */
export type DbStatus = Extract<Status, `db_${string}`>
/** What a fetch may come to. */
export type FetchStatus = Extract<Status, `fetch_${string}`>

const names = new Map<number, Status>(Object.entries(statusCodes).map(([name, code]) => [code, name as Status]))

/** The name of a status code, or undefined if there is none. */
export function statusName(code: number): Status | undefined {
  return names.get(code)
}

export function isStatus(name: string): name is Status {
  return Object.hasOwn(statusCodes, name)
}

/** Whether a record with this status may stand in the CrawlDb. */
export function isDbStatus(status: Status): status is DbStatus {
  return status.startsWith('db_')
}

export const dbStatuses: readonly DbStatus[] = (Object.keys(statusCodes) as Status[]).filter(isDbStatus)

/** Nutch's ProtocolStatus codes (org.apache.nutch.protocol.ProtocolStatus). */
export const protocolStatusCodes = {
  success: 1,
  failed: 2,
  proto_not_found: 10,
  gone: 11,
  moved: 12,
  temp_moved: 13,
  notfound: 14,
  retry: 15,
  exception: 16,
  access_denied: 17,
  robots_denied: 18,
  redir_exceeded: 19,
  notfetching: 20,
  notmodified: 21,
  wouldblock: 22,
  blocked: 23,
} as const

export type ProtocolStatusName = keyof typeof protocolStatusCodes
