import { fstatSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { CrawlError } from '../../lib/errors/crawl-error.js'

/** What file descriptor 0 is. `silent` is all that may not be read unasked: a terminal, the null device, nothing. */
export type StdinKind = 'pipe' | 'file' | 'silent'

/** Whether a command reads stdin. `asked`: `-` was given; `implied`: nothing was named and something is connected. */
export type StdinUse = 'asked' | 'implied' | 'none'

/** What stdin of this process is; a pipe made by another Node process is a socket. */
export function stdinKind(fileDescriptor = 0): StdinKind {
  try {
    const stats = fstatSync(fileDescriptor)
    if (stats.isFIFO() || stats.isSocket()) return 'pipe'
    return stats.isFile() ? 'file' : 'silent'
  } catch {
    return 'silent' // closed: there is nothing to read
  }
}

/** The rule for all commands: stdin is read when `-` is among `names`, or when it is a pipe or a file and no name (URL or file) was given. */
export function stdinUse(names: readonly string[], kind: StdinKind = stdinKind()): StdinUse {
  if (names.includes('-')) return 'asked'
  return names.length === 0 && kind !== 'silent' ? 'implied' : 'none'
}

export interface ReadStdinOptions {
  /** How long an implied stdin may say nothing before it is given up. @defaultValue 60000 */
  readonly silenceMs?: number
  readonly signal?: AbortSignal
}

/**
 * The bytes of stdin. One that is only implied and neither says anything nor ends, as under cron or a service manager, is not waited for
 * for ever; a first byte, or `-`, makes it waited for as long as it takes.
 * @throws {CrawlError} USAGE after `silenceMs` without a byte
 */
export async function* readStdin(stdin: Readable, use: Exclude<StdinUse, 'none'>, options: ReadStdinOptions = {}): AsyncGenerator<Uint8Array> {
  const { silenceMs = 60_000, signal } = options
  const giveUp = (): void => {
    stdin.destroy(new CrawlError('USAGE', `stdin has said nothing for ${silenceMs / 1000} s; name a file, or - to wait for it`))
  }
  const stop = (): void => void stdin.destroy(signal?.reason instanceof Error ? signal.reason : new Error('stopped'))
  const timer = use === 'implied' ? setTimeout(giveUp, silenceMs) : undefined
  signal?.addEventListener('abort', stop, { once: true })
  try {
    if (signal?.aborted) stop()
    for await (const chunk of stdin as AsyncIterable<Uint8Array>) {
      clearTimeout(timer)
      yield chunk
    }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}
