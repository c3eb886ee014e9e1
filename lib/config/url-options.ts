import type { ConfigOf } from './field.js'

export const urlFields = {}
export type UrlConfig = ConfigOf<typeof urlFields>
