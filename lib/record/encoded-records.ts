/** What CDXJ says of one capture, but for where it stands. All ASCII. */
export interface CaptureFields {
  /** The URL as SURT key: `org,example)/path`. */
  readonly urlKey: string
  /** `YYYYMMDDHHMMSS`, UTC. */
  readonly timestamp: string
  readonly url: string
  readonly mime: string
  /** HTTP status; empty where there is none. */
  readonly status: string
  /** SHA-1 of the payload in base32, without a prefix. */
  readonly digest: string
}

export type WarcRecordType = 'warcinfo' | 'response' | 'resource' | 'request' | 'metadata' | 'revisit' | 'conversion' | 'continuation'

/** One record among `EncodedRecords`: the range of its gzip member. */
export interface EncodedRecord {
  readonly type: WarcRecordType
  readonly uri: string
  /** From the start of the `bytes` it stands in. */
  readonly offsetBytes: number
  readonly lengthBytes: number
  /** Set for records that a replay tool looks up: response, revisit, resource. */
  readonly capture?: CaptureFields
}

/** WARC records as gzip members, one after the other, ready to be appended to a file. The last capture is the page's own. */
export interface EncodedRecords {
  readonly bytes: Uint8Array
  readonly records: readonly EncodedRecord[]
}

/** Several as one, offsets moved. */
export function joinEncodedRecords(parts: readonly EncodedRecords[]): EncodedRecords {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return only
  const records: EncodedRecord[] = []
  let offsetBytes = 0
  for (const part of parts) {
    for (const record of part.records) records.push({ ...record, offsetBytes: record.offsetBytes + offsetBytes })
    offsetBytes += part.bytes.length
  }
  return { bytes: Buffer.concat(parts.map(part => part.bytes)), records }
}
