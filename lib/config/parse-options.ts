import type { ConfigOf } from './field.js'

export const parseFields = {}
export type ParseConfig = ConfigOf<typeof parseFields>
