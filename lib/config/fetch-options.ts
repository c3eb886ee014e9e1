import type { ConfigOf } from './field.js'

export const fetchFields = {}
export type FetchConfig = ConfigOf<typeof fetchFields>
