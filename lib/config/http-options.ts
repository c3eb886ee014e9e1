import type { ConfigOf } from './field.js'

export const httpFields = {}
export type HttpConfig = ConfigOf<typeof httpFields>
