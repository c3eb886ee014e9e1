import { CrawlError } from '../errors/crawl-error.js'
import { type ZoneNames, zoneNames } from './java-zones.js'

const dayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const
const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const dateForm = /^(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat) (\w{3}) (\d{2}) (\d{2}):(\d{2}):(\d{2}) (\S+) (\d{1,6})$/
const offsetForm = /^GMT([+-])(\d{2}):?(\d{2})$/
const hourMs = 3_600_000

/** Epoch ms as Java's Date.toString prints it: `Thu Jan 01 08:00:00 CST 1970`.
 *  @param timeZone IANA name. @defaultValue UTC
 *  @throws {RangeError} if there is no such time zone */
export function formatJavaDate(timeMs: number, timeZone = 'UTC'): string {
  const clock = zoneClock(timeZone)
  const local = new Date(timeMs + clock.offsetMs(timeMs))
  const day = `${dayNames[local.getUTCDay()]} ${monthNames[local.getUTCMonth()]} ${two(local.getUTCDate())}`
  const time = `${two(local.getUTCHours())}:${two(local.getUTCMinutes())}:${two(local.getUTCSeconds())}`
  return `${day} ${time} ${clock.nameAt(timeMs)} ${local.getUTCFullYear()}`
}

/** Reads what Date.toString printed, to the second. A zone name that stands for several offsets (CST) is taken as that of `timeZone`.
 *  @throws {CrawlError} LINE_INVALID if it is no such date, or if its zone name says nothing without a time zone */
export function parseJavaDate(text: string, timeZone?: string): number {
  const [, month = '', day, hours, minutes, seconds, name = '', year] = dateForm.exec(text) ?? []
  const localMs = Date.UTC(2000, monthNames.indexOf(month), Number(day), Number(hours), Number(minutes), Number(seconds))
  const local = new Date(localMs)
  local.setUTCFullYear(Number(year), monthNames.indexOf(month), Number(day))
  if (!monthNames.includes(month) || Number.isNaN(local.getTime())) throw new CrawlError('LINE_INVALID', `no date as Java prints it: ${text}`)
  return local.getTime() - offsetOfName(name, local.getTime(), timeZone)
}

function offsetOfName(name: string, localMs: number, timeZone: string | undefined): number {
  const inZone = timeZone === undefined ? undefined : offsetInZone(name, localMs, zoneClock(timeZone))
  const known = inZone ?? fixedOffsetMs(name)
  if (known !== undefined) return known
  const offsets = offsetsByName().get(name) ?? []
  const [only] = offsets
  if (only !== undefined && offsets.length === 1) return only
  const hint = only === undefined ? 'is not known' : `may be ${offsets.map(offset => offsetName(offset)).join(' or ')}`
  const advice = timeZone === undefined ? 'name the time zone with --time-zone' : `it is none of ${timeZone} at that time of year`
  throw new CrawlError('LINE_INVALID', `time zone name ${name} ${hint}: ${advice}`)
}

/** The offset of a zone's clocks when they showed `localMs` under this name, or undefined if they never go by it then. */
function offsetInZone(name: string, localMs: number, clock: ZoneClock): number | undefined {
  const offsets = [clock.offsetMs(localMs - 14 * hourMs), clock.offsetMs(localMs + 14 * hourMs)]
  const named = offsets.filter(offset => clock.nameAt(localMs - offset) === name)
  return named.find(offset => clock.offsetMs(localMs - offset) === offset) ?? named[0]
}

function fixedOffsetMs(name: string): number | undefined {
  if (name === 'UTC' || name === 'GMT' || name === 'Z') return 0
  const [, sign, hours, minutes] = offsetForm.exec(name) ?? []
  return sign === undefined ? undefined : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

let offsetsOfNames: Map<string, number[]> | undefined

/** All offsets that a short name stands for, ms. */
function offsetsByName(): ReadonlyMap<string, readonly number[]> {
  if (offsetsOfNames !== undefined) return offsetsOfNames
  offsetsOfNames = new Map()
  for (const { standard, daylight, standardMinutes } of new Set(zoneNames.values())) {
    addOffset(offsetsOfNames, standard, standardMinutes * 60_000)
    if (daylight !== standard) addOffset(offsetsOfNames, daylight, standardMinutes * 60_000 + daylightShiftMs(standard, daylight))
  }
  return offsetsOfNames
}

/** An hour, but on Lord Howe Island and at Troll Station. */
function daylightShiftMs(standard: string, daylight: string): number {
  if (daylight === 'LHDT') return hourMs / 2
  return standard === 'GMT' && daylight === 'CEST' ? 2 * hourMs : hourMs
}

function addOffset(offsets: Map<string, number[]>, name: string, offsetMs: number): void {
  const known = offsets.get(name) ?? []
  if (!known.includes(offsetMs)) offsets.set(name, [...known, offsetMs])
}

/** What a time zone's clocks show at some time. */
interface ZoneTime {
  readonly offsetMs: number
  readonly isDaylight: boolean
}

/** Tells the offset and the short name of one time zone. */
interface ZoneClock {
  offsetMs(timeMs: number): number
  nameAt(timeMs: number): string
}

const utcClock: ZoneClock = { offsetMs: () => 0, nameAt: () => 'UTC' }
const clocks = new Map<string, ZoneClock>([['UTC', utcClock]])

function zoneClock(timeZone: string): ZoneClock {
  let clock = clocks.get(timeZone)
  if (clock === undefined) {
    clock = intlClock(timeZone, zoneNames.get(timeZone))
    clocks.set(timeZone, clock)
  }
  return clock
}

const quarterMs = 900_000
const cachedQuarters = 10_000

/** Zones change their clocks at full quarters of an hour, so one answer serves a quarter. */
function intlClock(timeZone: string, names: ZoneNames | undefined): ZoneClock {
  const offsetFormat = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  const nameFormat = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'long' })
  const cache = new Map<number, ZoneTime>()
  const at = (timeMs: number): ZoneTime => {
    const quarter = Math.floor(timeMs / quarterMs)
    let time = cache.get(quarter)
    if (time === undefined) {
      const offsetMs = offsetIn(offsetFormat, quarter * quarterMs)
      const isDaylight =
        offsetMs > standardOffset(offsetFormat, quarter * quarterMs) && isDaylightName(zonePart(nameFormat, quarter * quarterMs), offsetMs, names)
      time = { offsetMs, isDaylight }
      if (cache.size >= cachedQuarters) cache.clear()
      cache.set(quarter, time)
    }
    return time
  }
  const nameAt = (timeMs: number): string => {
    const { offsetMs, isDaylight } = at(timeMs)
    if (names === undefined) return offsetName(offsetMs)
    return isDaylight ? names.daylight : names.standard
  }
  return { offsetMs: timeMs => at(timeMs).offsetMs, nameAt }
}

/** The lesser of a year's offsets: in a year without a change of clocks nothing is daylight time, as in Britain in 1970. */
function standardOffset(format: Intl.DateTimeFormat, timeMs: number): number {
  const year = new Date(timeMs).getUTCFullYear()
  return Math.min(offsetIn(format, Date.UTC(year, 0, 1)), offsetIn(format, Date.UTC(year, 6, 1)))
}

function offsetIn(format: Intl.DateTimeFormat, timeMs: number): number {
  return fixedOffsetMs(zonePart(format, timeMs)) ?? 0
}

/** By the long name where it says so; Ireland's summer is called standard time there, but daylight time in Java. */
function isDaylightName(longName: string, offsetMs: number, names: ZoneNames | undefined): boolean {
  if (/Daylight|Summer/.test(longName)) return true
  if (longName.includes('Standard') && !longName.startsWith('Irish')) return false
  return names !== undefined && offsetMs > names.standardMinutes * 60_000
}

function zonePart(format: Intl.DateTimeFormat, timeMs: number): string {
  return format.formatToParts(timeMs).find(part => part.type === 'timeZoneName')?.value ?? 'GMT'
}

function offsetName(offsetMs: number): string {
  const minutes = Math.abs(offsetMs) / 60_000
  return `GMT${offsetMs < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

function two(value: number): string {
  return value < 10 ? `0${value}` : String(value)
}
