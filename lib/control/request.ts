import { CrawlError } from '../errors/crawl-error.js'
import { isJsonObject } from '../record/line-format.js'

/** A command that another process is asked to run: its arguments and options as they were read, paths made absolute. */
export interface ControlRequest {
  readonly command: string
  readonly args: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
  /** What the asker's stdin is. */
  readonly stdinKind: 'pipe' | 'file' | 'silent'
  readonly isTerminal: boolean
}

const stdinKinds: readonly unknown[] = ['pipe', 'file', 'silent']

/** @throws {CrawlError} CONTROL_FAILED */
export function parseControlRequest(bytes: Uint8Array): ControlRequest {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString())
    if (!isJsonObject(value)) throw new TypeError('no object')
    const { command, args, options, stdinKind, isTerminal } = value
    const isWhole =
      typeof command === 'string' &&
      Array.isArray(args) &&
      args.every(arg => typeof arg === 'string') &&
      isJsonObject(options) &&
      stdinKinds.includes(stdinKind)
    if (!isWhole) throw new TypeError('a field is missing')
    return { command, args, options, stdinKind: stdinKind as ControlRequest['stdinKind'], isTerminal: isTerminal === true } // checked in the lines above
  } catch (cause) {
    throw new CrawlError('CONTROL_FAILED', 'the request does not read', { cause })
  }
}
