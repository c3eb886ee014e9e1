const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** Epoch ms of an HTTP date in one of its three forms (RFC 9110 §5.6.7), or undefined. */
export function parseHttpDate(text: string): number | undefined {
  if (text.length > 60) return undefined
  const fixed = /(\d{1,2})[ -]([a-z]{3})[a-z]*[ -](\d{2,4}),? (\d{1,2}):(\d{2}):(\d{2})/i.exec(text)
  if (fixed !== null) return epochMs(fixed[1], fixed[2], fixed[3], fixed.slice(4, 7))
  const asctime = /([a-z]{3}) {1,2}(\d{1,2}) (\d{1,2}):(\d{2}):(\d{2}) (\d{4})/i.exec(text)
  return asctime === null ? undefined : epochMs(asctime[2], asctime[1], asctime[6], asctime.slice(3, 6))
}

function epochMs(day = '', month = '', year = '', [hour = '', minute = '', second = '']: readonly string[]): number | undefined {
  const monthIndex = months.indexOf(month.toLowerCase())
  if (monthIndex < 0 || Number(day) > 31 || Number(hour) > 24 || Number(minute) > 59) return undefined
  const shortYear = Number(year)
  const fullYear = year.length > 2 ? shortYear : shortYear < 70 ? shortYear + 2000 : shortYear + 1900
  return Date.UTC(fullYear, monthIndex, Number(day), Number(hour), Number(minute), Number(second))
}

export function formatHttpDate(epochMs: number): string {
  return new Date(epochMs).toUTCString()
}

const dayMs = 86_400_000

export interface RetryAfterContext {
  /** Now, epoch ms. */
  readonly nowMs: number
  /** Longest wait, ms. */
  readonly maxMs: number
  /** The Date header of the answer: dates count from it, unless it is a day or more off. */
  readonly date?: string | undefined
}

/**
 * How long a Retry-After asks to wait, ms: seconds or a date (RFC 9110 §10.2.3). Undefined if there is none that can be read, and for one that asks
 * for no wait at all: the host said that it is asked too often.
 */
export function retryAfterMs(value: string | undefined, { nowMs, maxMs, date }: RetryAfterContext): number | undefined {
  if (value === undefined) return undefined
  const text = value.trim()
  const seconds = /^\d+(?:\.\d*)?$/.test(text) ? Number(text) : undefined
  const dateMs = seconds === undefined ? parseHttpDate(text) : undefined
  const waitMs = seconds !== undefined ? seconds * 1000 : dateMs === undefined ? 0 : dateMs - serverNowMs(date, nowMs)
  return waitMs <= 0 ? undefined : Math.min(maxMs, waitMs)
}

function serverNowMs(date: string | undefined, nowMs: number): number {
  const serverMs = parseHttpDate(date ?? '')
  return serverMs === undefined || Math.abs(serverMs - nowMs) >= dayMs ? nowMs : serverMs
}
