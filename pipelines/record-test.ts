import { CrawlError } from '../lib/errors/crawl-error.js'
import { toHex } from '../lib/record/json-fields.js'
import type { DbDatum } from '../lib/record/records.js'
import { isStatus } from '../lib/record/status.js'
import { domainRange, hostRange, type KeyRange } from '../lib/record/url-key.js'
import { registeredDomainOf } from '../lib/url/hosts.js'

/** Which records a command is about; all that are given must hold. */
export interface RecordChoice {
  readonly status?: string | undefined
  /** Pattern that must be found in the URL. */
  readonly regex?: string | undefined
  readonly host?: string | undefined
  readonly domain?: string | undefined
  readonly retries?: number | undefined
  /** Hex, or its beginning. */
  readonly signature?: string | undefined
  /** Records whose page was modified, or fetched with success, since then, epoch ms. */
  readonly changedSinceMs?: number | undefined
  /** Part of the records, 0…1: which ones depends on the URL only. */
  readonly sample?: number | undefined
  readonly expression?: ((datum: DbDatum) => boolean) | undefined
}

export interface CompiledChoice {
  /** The keys that can match. */
  readonly range: Partial<KeyRange>
  readonly matches: (datum: DbDatum) => boolean
  /** Whether `matches` tests anything: without it every record of the range does. */
  readonly tests: boolean
  /** Whether every record of the db matches. */
  readonly isAll: boolean
}

type Test = (datum: DbDatum) => boolean

/** @throws {CrawlError} USAGE for a status or pattern that is none */
export function compileChoice(choice: RecordChoice, compilePattern: (pattern: string) => (text: string) => boolean): CompiledChoice {
  const tests = [...statusTests(choice), ...urlTests(choice, compilePattern), ...valueTests(choice)]
  const range = choice.host !== undefined ? hostRange(choice.host) : choice.domain !== undefined ? domainRange(choice.domain) : {}
  return {
    range,
    matches: datum => tests.every(test => test(datum)),
    tests: tests.length > 0,
    isAll: tests.length === 0 && choice.host === undefined && choice.domain === undefined,
  }
}

function statusTests({ status }: RecordChoice): Test[] {
  if (status === undefined) return []
  const name = /^\d+$/.test(status) ? undefined : status.startsWith('db_') ? status : `db_${status}`
  if (name === undefined || !isStatus(name)) throw new CrawlError('USAGE', `there is no CrawlDb status ${status}`)
  return [datum => datum.status === name]
}

function urlTests({ regex, domain, host, sample }: RecordChoice, compilePattern: (pattern: string) => (text: string) => boolean): Test[] {
  const tests: Test[] = []
  if (regex !== undefined) {
    const isFound = compilePattern(regex)
    tests.push(datum => isFound(datum.url))
  }
  if (domain !== undefined && host !== undefined && registeredDomainOf(host) !== domain) tests.push(() => false)
  if (sample !== undefined) {
    if (!(sample >= 0 && sample <= 1)) throw new CrawlError('USAGE', `a sample is a part between 0 and 1, not ${sample}`)
    tests.push(datum => hashPart(datum.url) < sample)
  }
  return tests
}

function valueTests({ retries, signature, changedSinceMs, expression }: RecordChoice): Test[] {
  const tests: Test[] = []
  if (retries !== undefined) tests.push(datum => datum.retries === retries)
  if (signature !== undefined) {
    const wanted = signature.toLowerCase()
    tests.push(datum => datum.signature !== undefined && toHex(datum.signature).startsWith(wanted))
  }
  if (changedSinceMs !== undefined) tests.push(datum => datum.modifiedTimeMs >= changedSinceMs)
  if (expression !== undefined) tests.push(expression)
  return tests
}

/** A number in 0…1 that depends on the text only: FNV-1a and, since URLs that differ in a last digit would lie side by side, murmur3's mix. */
function hashPart(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
