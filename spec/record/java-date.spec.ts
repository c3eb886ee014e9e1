import { expect } from 'chai'
import fc from 'fast-check'
import { formatJavaDate, parseJavaDate } from '../../lib/record/java-date.js'

/** What Date.toString printed on a JVM (OpenJDK 17). */
const fromJvm: readonly (readonly [timeZone: string, timeMs: number, text: string])[] = [
  ['UTC', 0, 'Thu Jan 01 00:00:00 UTC 1970'],
  ['UTC', 1425921380523, 'Mon Mar 09 17:16:20 UTC 2015'],
  ['UTC', 253402300800000, 'Sat Jan 01 00:00:00 UTC 10000'],
  ['GMT', 0, 'Thu Jan 01 00:00:00 GMT 1970'],
  ['Asia/Shanghai', 1425921380523, 'Tue Mar 10 01:16:20 CST 2015'],
  ['America/Chicago', 1425921380523, 'Mon Mar 09 12:16:20 CDT 2015'],
  ['America/New_York', 0, 'Wed Dec 31 19:00:00 EST 1969'],
  ['America/New_York', 1425921380523, 'Mon Mar 09 13:16:20 EDT 2015'],
  ['Europe/Paris', 1500000000000, 'Fri Jul 14 04:40:00 CEST 2017'],
  ['Europe/London', 0, 'Thu Jan 01 01:00:00 GMT 1970'],
  ['Europe/London', 1500000000000, 'Fri Jul 14 03:40:00 BST 2017'],
  ['Europe/Dublin', 1500000000000, 'Fri Jul 14 03:40:00 IST 2017'],
  ['Asia/Kolkata', 1425921380523, 'Mon Mar 09 22:46:20 IST 2015'],
  ['Australia/Sydney', 1425921380523, 'Tue Mar 10 04:16:20 AEDT 2015'],
  ['Asia/Tokyo', 1500000000000, 'Fri Jul 14 11:40:00 JST 2017'],
  ['America/Sao_Paulo', 1425921380523, 'Mon Mar 09 14:16:20 BRT 2015'],
  ['Etc/GMT+5', 1500000000000, 'Thu Jul 13 21:40:00 GMT-05:00 2017'],
]

describe("Java's form of a date", () => {
  for (const [timeZone, timeMs, text] of fromJvm) {
    it(`is ${text} in ${timeZone}`, () => expect(formatJavaDate(timeMs, timeZone)).to.equal(text))
    it(`is read: ${text}, ${timeZone}`, () => expect(parseJavaDate(text, timeZone)).to.equal(Math.floor(timeMs / 1000) * 1000))
  }

  for (const { text, iso, timeZone, why } of [
    { text: 'Sun Jan 31 19:47:32 EST 2021', iso: '2021-01-31T19:47:32-05:00', why: 'a name with one meaning' },
    { text: 'Sat Jul 19 17:00:05 CST 2014', iso: '2014-07-19T17:00:05+08:00', timeZone: 'Asia/Shanghai', why: 'China' },
    { text: 'Sun Jan 19 17:00:05 CST 2014', iso: '2014-01-19T17:00:05-06:00', timeZone: 'America/Chicago', why: 'Chicago' },
    { text: 'Sun Nov 01 01:30:00 EDT 2015', iso: '2015-11-01T01:30:00-04:00', timeZone: 'America/New_York', why: 'the hour that comes twice, first' },
    { text: 'Sun Nov 01 01:30:00 EST 2015', iso: '2015-11-01T01:30:00-05:00', timeZone: 'America/New_York', why: 'and second' },
    { text: 'Thu Jul 13 21:40:00 GMT-05:00 2017', iso: '2017-07-13T21:40:00-05:00', why: 'an offset' },
    { text: 'Fri Jul 14 04:40:00 CEST 2017', iso: '2017-07-14T04:40:00+02:00', timeZone: 'UTC', why: 'a name of another zone' },
  ])
    it(`${text} is ${iso} (${why})`, () => expect(parseJavaDate(text, timeZone)).to.equal(Date.parse(iso)))

  for (const { text, timeZone, reason } of [
    { text: 'Sat Jul 19 17:00:05 CST 2014', reason: 'or GMT+08:00: name the time zone with --time-zone' },
    { text: 'Sat Jul 19 17:00:05 CST 2014', timeZone: 'Europe/Paris', reason: 'it is none of Europe/Paris at that time of year' },
    { text: 'Sat Jul 19 17:00:05 QQQ 2014', reason: 'time zone name QQQ is not known' },
    { text: 'Sat Juk 19 17:00:05 UTC 2014', reason: 'no date as Java prints it' },
    { text: '2014-07-19T17:00:05Z', reason: 'no date as Java prints it' },
    { text: '', reason: 'no date as Java prints it' },
  ])
    it(`refuses ${JSON.stringify(text)}${timeZone === undefined ? '' : ` in ${timeZone}`}`, () => {
      expect(() => parseJavaDate(text, timeZone)).to.throw(reason)
    })
  it('refuses a time zone that there is not', () => expect(() => formatJavaDate(0, 'Mars/Olympus')).to.throw(RangeError))

  it('is read back to the second', () => {
    const zones = fc.constantFrom(
      'UTC',
      'Asia/Shanghai',
      'America/New_York',
      'Europe/Berlin',
      'Asia/Kathmandu',
      'Australia/Lord_Howe',
      'Asia/Kolkata',
    )
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), zones, (seconds, timeZone) => {
        expect(parseJavaDate(formatJavaDate(seconds * 1000, timeZone), timeZone)).to.equal(seconds * 1000)
      }),
      { numRuns: 1000 },
    )
  })
})
