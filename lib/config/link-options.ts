import type { ConfigOf } from './field.js'

export const linkFields = {}
export type LinkConfig = ConfigOf<typeof linkFields>
