import { inRedirects } from './in-redirects.js'
import { inTheBody } from './in-the-body.js'
import { inTheHead } from './in-the-head.js'
import type { Misbehaviour } from './misbehaviour.js'

export const plays: readonly Misbehaviour[] = [...inTheHead, ...inTheBody, ...inRedirects]
