import type { ConfigOf } from './field.js'

export const segmentFields = {}
export type SegmentConfig = ConfigOf<typeof segmentFields>
