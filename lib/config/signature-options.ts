import type { ConfigOf } from './field.js'

export const signatureFields = {}
export type SignatureConfig = ConfigOf<typeof signatureFields>
