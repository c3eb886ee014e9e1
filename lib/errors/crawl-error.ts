/** Every failure that Millrace itself raises carries one of these codes. Codes are API: callers test `code`, never `message`. */
export type CrawlErrorCode =
  | 'URL_INVALID' // a string is no URL that can be crawled
  | 'URL_RULE_INVALID' // a rule file holds a line that cannot be used
  | 'LINE_INVALID' // a line of input is no record, seed or key
  | 'LINE_TOO_LONG' // a line is longer than the reader's bound
  | 'RECORD_VERSION' // a stored record was written by another version
  | 'RECORD_CORRUPT' // a stored record does not decode or fails its CRC
  | 'CONFIG_INVALID' // an option is unknown or has a value it cannot have
  | 'USAGE' // the command line does not say something that can be done
  | 'DB_MISSING' // the directory holds no CrawlDb or LinkDb
  | 'DB_LOCKED' // another process holds the database
  | 'DB_DAMAGED' // the database holds less than it should
  | 'DB_CLOSED' // used after close
  | 'JOB_UNFINISHED' // another job was killed and must be finished first
  | 'JOB_INPUT_CHANGED' // a job cannot be resumed: what it reads has changed
  | 'SEGMENT_MISSING' // no such segment, or none that needs the step
  | 'SEGMENT_STATE' // the segment is not at the step asked for
  | 'SEGMENT_LOCKED' // another process works on the segment
  | 'SEGMENT_CORRUPT' // a segment file does not read as what it should be
  | 'WARC_INVALID' // a WARC record does not read as WARC
  | 'ADDRESS_DENIED' // the address guard refused a connection
  | 'PLUGIN_INVALID' // a module is no plugin, or its version does not fit
  | 'PLUGIN_FAILED' // a plugin threw
  | 'DISK_FULL' // no space, quota or file size left
  | 'IO_FAILED' // the file system refused
  | 'CONTROL_FAILED' // the running process did not answer

/** The one error class of Millrace. `message` holds the facts (file, line, reason); `cause` the original error. */
export class CrawlError extends Error {
  override readonly name = 'CrawlError'
  constructor(
    readonly code: CrawlErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** Whether `error` is a CrawlError, with the given code where one is named. */
export function isCrawlError(error: unknown, code?: CrawlErrorCode): error is CrawlError {
  return error instanceof CrawlError && (code === undefined || error.code === code)
}

/** The `code` of a Node system error such as ENOENT, or undefined. */
export function systemCodeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}

/** The message of anything thrown, followed by those of its causes, the nearest eight; one that has been said already is not said again. */
export function messageOf(error: unknown, maxCauses = 8): string {
  let message = ownMessageOf(error)
  let cause = causeOf(error)
  for (let depth = 0; cause !== undefined && depth < maxCauses; depth++) {
    const next = ownMessageOf(cause)
    if (!message.includes(next)) message += `: ${next}`
    cause = causeOf(cause)
  }
  return message
}

function ownMessageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || (error instanceof AggregateError ? error.errors.map(ownMessageOf).join(', ') : error.name)
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined
}
