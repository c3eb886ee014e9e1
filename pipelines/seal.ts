import { sealSegment } from '../lib/segment/seal-segment.js'
import type { Segment } from '../lib/segment/segment.js'
import { indexWarc } from '../lib/warc/index-warc.js'
import type { JobContext } from './job.js'

/** Makes an applied segment what it stays: captures sorted, parts compressed, a manifest. */
export async function seal({ config, clock }: JobContext, segment: Segment): Promise<void> {
  await sealSegment(segment, { nowMs: clock.nowMs(), findCaptures: indexWarc, compresses: config.segment.compresses })
}
