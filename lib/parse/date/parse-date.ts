import { monthOfName, zoneMinutes } from './month-names.js'

/** Longer texts are no dates; bounds the work. */
const maxDateChars = 100

/**
 * Reads a time as sitemaps, feeds and headers write it: W3C date-time (all its forms), ISO 8601 short forms, RFC 822 and RFC 1123 with the
 * slips that feeds make, asctime, and a few forms of blog software. @returns epoch ms, or undefined if it is none
 */
export function parseDate(raw: string): number | undefined {
  const text = raw.trim()
  if (text === '' || text.length > maxDateChars) return undefined
  return parseW3cDate(text) ?? rfc822(text) ?? asctime(text) ?? otherForms(text) ?? shortIso(text)
}

/** W3C date-time: `2014`, `2014-06`, `2014-06-03`, `2014-06-03T10:30+01:00`, with seconds and fractions; a space for the T,
 *  and no zone, are taken. */
export function parseW3cDate(text: string): number | undefined {
  const day = /^(\d{4})(?:-0?(\d{1,2})(?:-0?(\d{1,2}))?)?/.exec(text)
  if (day === null) return undefined
  const rest = text.slice(day[0].length)
  if (rest === '') return instant(day[1], Number(day[2] ?? 1) - 1, day[3] ?? 1)
  if (day[3] === undefined) return undefined
  const time = /^(?:T| +)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)? *(Z|[+-]\d{2}(?::?\d{2})?|[A-Z]{2,5})?$/i.exec(rest)
  if (time === null) return undefined
  return instant(day[1], Number(day[2]) - 1, day[3], { hour: time[1], minute: time[2], second: time[3], fraction: time[4], zone: time[5] })
}

interface TimeOfDay {
  readonly hour: string | undefined
  readonly minute: string | undefined
  readonly second?: string | undefined
  /** Decimals of the second. */
  readonly fraction?: string | undefined
  readonly zone?: string | undefined
  readonly isAfternoon?: boolean
}

/** Epoch ms of parts as they were read, or undefined if one is out of its range. */
function instant(
  year: string | number | undefined,
  month: number | undefined,
  day: string | number | undefined,
  time?: TimeOfDay,
): number | undefined {
  const hour = Number(time?.hour ?? 0) + (time?.isAfternoon === true && Number(time.hour) < 12 ? 12 : 0)
  const minute = Number(time?.minute ?? 0)
  const second = Number(time?.second ?? 0)
  const zone = zoneMinutes(time?.zone ?? '')
  if (month === undefined || zone === undefined || !(month >= 0 && month < 12) || hour > 24 || minute > 59 || second > 60) return undefined
  const fullYear = expandYear(Number(year))
  const dayOfMonth = Number(day)
  if (!(dayOfMonth >= 1 && dayOfMonth <= new Date(Date.UTC(fullYear, month + 1, 0)).getUTCDate())) return undefined
  const milliseconds = Math.floor(Number(`0.${time?.fraction ?? 0}`) * 1000)
  const ms = Date.UTC(fullYear, month, dayOfMonth, hour, minute - zone, second, milliseconds)
  return Number.isFinite(ms) ? ms : undefined
}

/** Two digits: 1970 to 2069. */
function expandYear(year: number): number {
  return year >= 100 ? year : year + (year < 70 ? 2000 : 1900)
}

const clock = String.raw`(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.\d{1,9})?)?`

/** `Thu, 05 Jan 2017 12:34:50 GMT`; the weekday, the seconds, the time and the zone may be missing. */
const rfc822Pattern = new RegExp(
  String.raw`^(?:[\p{L}.]+,? *)?(\d{1,2})[ -]+(\p{L}+)\.?,?[ -]+(\d{4}|\d{2})` +
    String.raw`(?:,? +(?:${clock})(?: *([+-]\d{1,2}:?\d{2}|[A-Za-z/]+|\([A-Za-z]+\)))?(?: *\([A-Za-z ]+\))?)?$`,
  'u',
)
/** `Sun, Jan 16 2012 11:47:32 GMT`: month before day. */
const monthFirstPattern = new RegExp(
  String.raw`^(?:\p{L}+,? +)?(\p{L}{3,})\.? +(\d{1,2}),? +(\d{4})(?:,? +(?:${clock})(?: *([+-]\d{1,2}:?\d{2}|[A-Za-z/]+))?)?$`,
  'u',
)

function rfc822(text: string): number | undefined {
  const match = rfc822Pattern.exec(text)
  if (match !== null) {
    const [, day, month, year, hour, minute, second, zone] = match
    return instant(year, monthOfName(month ?? ''), day, { hour, minute, second, zone })
  }
  const swapped = monthFirstPattern.exec(text)
  if (swapped === null) return undefined
  const [, month, day, year, hour, minute, second, zone] = swapped
  return instant(year, monthOfName(month ?? ''), day, { hour, minute, second, zone })
}

/** `Sun Jan  4 16:29:06 2004`, also with a zone before the year, as `date` prints it. */
function asctime(text: string): number | undefined {
  const match = /^[A-Za-z]{3} +([A-Za-z]{3}) +(\d{1,2}) +(\d{1,2}):(\d{2}):(\d{2})(?: +([A-Za-z]{1,5}|[+-]\d{4}))? +(\d{4})$/.exec(text)
  if (match === null) return undefined
  const [, month, day, hour, minute, second, zone, year] = match
  return instant(year, monthOfName(month ?? ''), day, { hour, minute, second, zone })
}

/** Perforce (`Fri, 2006/09/15 08:19:53 EDT`), OnBlog and Nate (Korean time), Hungarian (`2004-július-13T9:15-05:00`). */
function otherForms(text: string): number | undefined {
  const slashed = /^(?:[A-Za-z]{3}, *)?(\d{4})\/(\d{2})\/(\d{2})(?: (\d{2}):(\d{2})(?::(\d{2}))?(?: ([A-Za-z]{1,5}|[+-]\d{4}))?)?$/.exec(text)
  if (slashed !== null) {
    const [, year, month, day, hour, minute, second, zone] = slashed
    return instant(year, Number(month) - 1, day, { hour, minute, second, zone })
  }
  const onBlog = /^(\d{4})년 +(\d{2})월 +(\d{2})일 +(\d{2}):(\d{2}):(\d{2})$/.exec(text)
  const nate = /^(\d{4})-(\d{2})-(\d{2}) +(오전|오후) +(\d{1,2}):(\d{2}):(\d{2})$/.exec(text)
  if (onBlog !== null) {
    const [, year, month, day, hour, minute, second] = onBlog
    return instant(year, Number(month) - 1, day, { hour, minute, second, zone: 'KST' })
  }
  if (nate !== null) {
    const [, year, month, day, half, hour, minute, second] = nate
    return instant(year, Number(month) - 1, day, { hour, minute, second, zone: 'KST', isAfternoon: half === '오후' })
  }
  const named = /^(\d{4})-(\p{L}+)-(\d{1,2})T(\d{1,2}):(\d{2})([+-]\d{2}:\d{2})$/u.exec(text)
  if (named === null) return undefined
  const [, year, month, day, hour, minute, zone] = named
  return instant(year, monthOfName(month ?? ''), day, { hour, minute, zone })
}

/** ISO 8601 without dashes or with a two-digit year: `20031231`, `031231`, `03335` (day of the year), `-0312`, `-03-12`, with a time behind. */
function shortIso(text: string): number | undefined {
  const month = /^-(\d{2})-?(\d{2})$/.exec(text)
  if (month !== null) return instant(month[1], Number(month[2]) - 1, 1)
  const compact = /^(\d{4}|\d{2})(\d{2})(\d{2})(?:T?(\d{2}):?(\d{2})(?::?(\d{2}))?(Z|[+-]\d{2}:?\d{2})?)?$/.exec(text)
  if (compact !== null) {
    const [, year, monthNumber, day, hour, minute, second, zone] = compact
    return instant(year, Number(monthNumber) - 1, day, { hour, minute, second, zone })
  }
  const ordinal = /^(\d{4}|\d{2})-?(\d{3})$/.exec(text)
  if (ordinal === null || Number(ordinal[2]) < 1 || Number(ordinal[2]) > 366) return undefined
  return Date.UTC(expandYear(Number(ordinal[1])), 0, Number(ordinal[2]))
}
