import { randomUUID } from 'node:crypto'

/** Name and value, in the order they are written. */
export type WarcField = readonly [name: string, value: string]

/** `<urn:uuid:…>` for a new record. */
export function newRecordId(): string {
  return `<urn:uuid:${randomUUID()}>`
}

/** WARC-Date: UTC with milliseconds where there are any (WARC/1.1 §5.4). */
export function warcDate(timeMs: number): string {
  const text = new Date(timeMs).toISOString()
  return text.endsWith('.000Z') ? `${text.slice(0, -5)}Z` : text
}

/** `YYYYMMDDHHMMSS`, UTC, as CDX and segment names have it. */
export function timestamp14(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\D/g, '').slice(0, 14)
}

/** The head of a record with its empty line. A line end inside a value becomes a space, so that no value can start a field of its own. */
export function formatWarcHead(fields: readonly WarcField[], blockBytes: number): Buffer {
  let head = 'WARC/1.1\r\n'
  for (const [name, value] of fields) head += `${name}: ${/[\r\n]/.test(value) ? value.replace(/[\r\n]+/g, ' ') : value}\r\n`
  return Buffer.from(`${head}Content-Length: ${blockBytes}\r\n\r\n`)
}
