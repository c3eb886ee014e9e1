import { datumToJson, dbDatumFromJson } from './datum-json.js'
import { metadataField, numberField, objectField, optionalNumber, optionalText, textField, wrongField } from './json-fields.js'
import { isJsonObject } from './line-format.js'
import type { ContentRef, DelaySource, FetchItem, FetchOutcome, FetchTiming, Redirect, SideRequest, TruncationReason } from './records.js'
import { type FetchStatus, type ProtocolStatusName, protocolStatusCodes, statusCodes } from './status.js'
import { storedUrl, type Url } from './url.js'

type Json = Readonly<Record<string, unknown>>

/** The JSON part of a fetch list's line: queueId, segment, datum. */
export function fetchItemToJson(item: FetchItem): Record<string, unknown> {
  return { queueId: item.queueId, segment: item.segment, datum: datumToJson(item.datum) }
}

/** @throws {CrawlError} LINE_INVALID */
export function fetchItemFromJson(url: Url, json: Json): FetchItem {
  return { url, datum: dbDatumFromJson(url, objectField(json, 'datum')), queueId: textField(json, 'queueId'), segment: textField(json, 'segment') }
}

/** The JSON part of an outcome's line; absent fields are left out. */
export function outcomeToJson(outcome: FetchOutcome): Record<string, unknown> {
  return {
    status: outcome.status,
    protocolStatus: outcome.protocolStatus,
    httpStatus: outcome.httpStatus,
    contentType: outcome.contentType,
    contentLengthBytes: outcome.contentLengthBytes,
    modifiedTimeMs: outcome.modifiedTimeMs,
    redirect: outcome.redirect,
    content: outcome.content,
    truncated: outcome.truncated,
    address: outcome.address,
    protocol: outcome.protocol,
    cause: outcome.cause,
    causeClass: outcome.causeClass,
    timing: outcome.timing,
    fetchTimeMs: outcome.fetchTimeMs,
    queueDelayMs: outcome.queueDelayMs,
    delaySource: outcome.delaySource,
    queueId: outcome.queueId,
    queueLimit: outcome.queueLimit,
    robotsFetchedMs: outcome.robotsFetchedMs,
    sideRequests: outcome.sideRequests,
    metadata: outcome.metadata,
    datum: datumToJson(outcome.datum),
  }
}

/** @throws {CrawlError} LINE_INVALID */
export function outcomeFromJson(url: Url, json: Json): FetchOutcome {
  const fields: Record<string, unknown> = {
    httpStatus: optionalNumber(json, 'httpStatus'),
    contentType: optionalText(json, 'contentType'),
    contentLengthBytes: optionalNumber(json, 'contentLengthBytes'),
    modifiedTimeMs: optionalNumber(json, 'modifiedTimeMs'),
    redirect: json.redirect === undefined ? undefined : redirectFromJson(objectField(json, 'redirect')),
    content: json.content === undefined ? undefined : contentRefFromJson(objectField(json, 'content')),
    truncated: optionalText(json, 'truncated') as TruncationReason | undefined, // our own word, only handed on
    address: optionalText(json, 'address'),
    protocol: optionalText(json, 'protocol'),
    cause: optionalText(json, 'cause'),
    causeClass: optionalText(json, 'causeClass'),
    fetchTimeMs: optionalNumber(json, 'fetchTimeMs'),
    queueDelayMs: optionalNumber(json, 'queueDelayMs'),
    delaySource: optionalText(json, 'delaySource') as DelaySource | undefined, // our own word, only handed on
    queueId: optionalText(json, 'queueId'),
    queueLimit: optionalNumber(json, 'queueLimit'),
    robotsFetchedMs: optionalNumber(json, 'robotsFetchedMs'),
    sideRequests: Array.isArray(json.sideRequests) ? json.sideRequests.map(sideRequestFromJson) : undefined,
  }
  for (const [name, value] of Object.entries(fields)) if (value === undefined) delete fields[name]
  return {
    url,
    status: fetchStatusOf(textField(json, 'status')),
    protocolStatus: protocolStatusOf(textField(json, 'protocolStatus')),
    datum: dbDatumFromJson(url, objectField(json, 'datum')),
    timing: timingFromJson(objectField(json, 'timing')),
    ...fields,
    metadata: metadataField(json),
  }
}

export function contentRefFromJson(json: Json): ContentRef {
  return { file: textField(json, 'file'), offsetBytes: numberField(json, 'offsetBytes'), lengthBytes: numberField(json, 'lengthBytes') }
}

function redirectFromJson(json: Json): Redirect {
  const target = optionalText(json, 'target')
  const dropped = optionalText(json, 'dropped')
  return {
    to: textField(json, 'to'),
    ...(target === undefined ? {} : { target: storedUrl(target) }),
    ...(dropped === undefined ? {} : { dropped }),
    kind: textField(json, 'kind') === 'perm' ? 'perm' : 'temp',
    via: textField(json, 'via') as Redirect['via'], // our own word, only handed on
  }
}

/** @throws {CrawlError} LINE_INVALID */
export function sideRequestFromJson(value: unknown): SideRequest {
  if (!isJsonObject(value)) throw wrongField('sideRequests', 'a list of objects', value)
  const queueLimit = optionalNumber(value, 'queueLimit')
  const kind = optionalText(value, 'kind') as SideRequest['kind'] // our own word, only handed on
  return {
    url: textField(value, 'url'),
    queueId: textField(value, 'queueId'),
    startMs: numberField(value, 'startMs'),
    endMs: numberField(value, 'endMs'),
    queueDelayMs: numberField(value, 'queueDelayMs'),
    delaySource: textField(value, 'delaySource') as DelaySource, // our own word, only handed on
    ...(queueLimit === undefined ? {} : { queueLimit }),
    ...(kind === undefined ? {} : { kind }),
  }
}

function timingFromJson(json: Json): FetchTiming {
  const timing: Record<string, number> = { startMs: numberField(json, 'startMs'), endMs: numberField(json, 'endMs') }
  for (const name of ['dnsMs', 'connectMs', 'firstByteMs', 'offsetMs']) {
    const value = optionalNumber(json, name)
    if (value !== undefined) timing[name] = value
  }
  return timing as unknown as FetchTiming // startMs and endMs were set in the line above
}

function fetchStatusOf(name: string): FetchStatus {
  if (!(name.startsWith('fetch_') && Object.hasOwn(statusCodes, name))) throw wrongField('status', 'a fetch status', name)
  return name as FetchStatus // checked above
}

function protocolStatusOf(name: string): ProtocolStatusName {
  if (!Object.hasOwn(protocolStatusCodes, name)) throw wrongField('protocolStatus', 'a protocol status', name)
  return name as ProtocolStatusName // checked above
}
