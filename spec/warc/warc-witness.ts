import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { CDXIndexer, WARCParser } from 'warcio'

/** A record as the npm package warcio reads it: the independent witness for what we write. */
export interface WitnessedRecord {
  readonly type: string | null | undefined
  readonly uri: string | null | undefined
  readonly fields: Readonly<Record<string, string>>
  readonly status: number | null
  readonly httpFields: readonly (readonly [string, string])[]
  /** Body after what warcio decodes of Transfer-Encoding and Content-Encoding. */
  readonly payload: Buffer
}

export async function witnessRecords(bytes: Uint8Array): Promise<WitnessedRecord[]> {
  const records: WitnessedRecord[] = []
  const parser = new WARCParser([bytes], { keepHeadersCase: true })
  for await (const record of parser) {
    const payload = Buffer.from((await record.readFully(true)) ?? new Uint8Array())
    records.push({
      type: record.warcType,
      uri: record.warcTargetURI,
      fields: Object.fromEntries(record.warcHeaders.headers.entries()),
      status: record.httpHeaders === null || record.warcType === 'request' ? null : Number(record.httpHeaders.statusCode),
      httpFields: record.httpHeaders === null ? [] : [...record.httpHeaders.headers.entries()].map(([name, value]) => [name, value] as const),
      payload,
    })
  }
  return records
}

/** The CDXJ lines that warcio's indexer writes for a file, sorted. */
export async function witnessCdxj(path: string): Promise<Record<string, string | number>[]> {
  const indexer = new CDXIndexer({ format: 'cdxj' })
  const lines: Record<string, string | number>[] = []
  for await (const line of indexer.iterIndex([{ filename: basename(path), reader: createReadStream(path) }])) lines.push(line)
  return lines
}
