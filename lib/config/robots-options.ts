import type { ConfigOf } from './field.js'

export const robotsFields = {}
export type RobotsConfig = ConfigOf<typeof robotsFields>
