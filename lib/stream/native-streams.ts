/**
 * Makes readable-stream, which through2 stands on, hand out Node's own classes, so that our stages are `instanceof Transform`
 * of node:stream. Must be imported before through2; readable-stream reads the variable once, so it is set only for that moment.
 */
import { createRequire } from 'node:module'

const before = process.env.READABLE_STREAM
process.env.READABLE_STREAM = 'disable'
const requireFrom = createRequire(import.meta.url)
createRequire(requireFrom.resolve('through2'))('readable-stream')
if (before === undefined) delete process.env.READABLE_STREAM
else process.env.READABLE_STREAM = before
