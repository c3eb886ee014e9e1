import type { EncodedRecord, EncodedRecords, WarcRecordType } from '../record/encoded-records.js'
import type { CaptureGroup } from './capture-groups.js'
import { gzipRecord } from './gzip-member.js'
import { captureOf } from './index-warc.js'

/** Packs the records of a group again as they are, the capture last. Equal records and levels give equal bytes. */
export function encodeGroup({ capture, records }: CaptureGroup, gzipLevel = 3): EncodedRecords {
  const members: Buffer[] = []
  const encoded: EncodedRecord[] = []
  let offsetBytes = 0
  for (const record of [...records.filter(other => other !== capture), capture]) {
    const member = gzipRecord(record.rawHead, [record.block], gzipLevel)
    const fields = record === capture ? captureOf(record.head, record.block) : undefined
    encoded.push({
      type: record.type as WarcRecordType, // only the capture's is asked for, and that is one of three
      uri: record.uri,
      offsetBytes,
      lengthBytes: member.length,
      ...(fields === undefined ? {} : { capture: fields }),
    })
    members.push(member)
    offsetBytes += member.length
  }
  return { bytes: Buffer.concat(members), records: encoded }
}
