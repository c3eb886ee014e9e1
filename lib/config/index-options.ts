import type { ConfigOf } from './field.js'

export const indexFields = {}
export type IndexConfig = ConfigOf<typeof indexFields>
