import { CrawlError } from '../errors/crawl-error.js'
import { isFiniteFloat32 } from './float32.js'
import { isJsonObject } from './line-format.js'
import { type Metadata, noMetadata } from './metadata.js'

type Json = Readonly<Record<string, unknown>>

/** Reads of one field of a record's JSON. Each throws {CrawlError} LINE_INVALID naming the field if it is not what it should be. */
export function numberField(json: Json, name: string): number {
  const value = json[name]
  if (typeof value !== 'number' || !Number.isFinite(value)) throw wrongField(name, 'a number', value)
  return value
}

/** A number as a float32 holds it; one that would be an infinity there is refused. */
export function float32Field(json: Json, name: string): number {
  const value = numberField(json, name)
  if (!isFiniteFloat32(value)) throw wrongField(name, 'a finite float32', value)
  return Math.fround(value)
}

export function optionalNumber(json: Json, name: string): number | undefined {
  return json[name] === undefined ? undefined : numberField(json, name)
}

export function textField(json: Json, name: string): string {
  const value = json[name]
  if (typeof value !== 'string') throw wrongField(name, 'a string', value)
  return value
}

export function optionalText(json: Json, name: string): string | undefined {
  return json[name] === undefined ? undefined : textField(json, name)
}

export function objectField(json: Json, name: string): Json {
  const value = json[name]
  if (!isJsonObject(value)) throw wrongField(name, 'an object', value)
  return value
}

export function metadataField(json: Json, name = 'metadata'): Metadata {
  const value = json[name]
  if (value === undefined) return noMetadata
  if (!isJsonObject(value)) throw wrongField(name, 'an object', value)
  for (const [key, entry] of Object.entries(value)) if (typeof entry !== 'string') throw wrongField(`${name}.${key}`, 'a string', entry)
  return value as Metadata // every entry was checked above
}

/** Lower-case hex to bytes; undefined stays undefined. */
export function hexField(json: Json, name: string): Uint8Array | undefined {
  const hex = optionalText(json, name)
  if (hex === undefined) return undefined
  if (hex.length % 2 !== 0 || !/^[0-9a-f]*$/.test(hex)) throw wrongField(name, 'lower-case hex', hex)
  return Buffer.from(hex, 'hex')
}

export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

export function wrongField(name: string, wanted: string, value: unknown): CrawlError {
  const shown = typeof value === 'number' ? String(value) : JSON.stringify(value)?.slice(0, 100) // JSON has no infinities: 1e400 is read as one
  return new CrawlError('LINE_INVALID', `${name} is not ${wanted}: ${shown}`)
}
