import { createReadStream } from 'node:fs'
import { CrawlError, systemCodeOf } from '../../lib/errors/crawl-error.js'
import type { CommandContext } from './command.js'
import { readStdin, stdinKind } from './stdin-rule.js'

/** How long a pipe that nobody asked for may say nothing before the URL is fetched instead. */
const pipeSilenceMs = 1500

/** The bytes of a file, or of stdin for `-`. @throws {CrawlError} USAGE if the file is not there */
export async function* openInput(context: CommandContext, name: string): AsyncGenerator<Uint8Array> {
  if (name === '-') {
    yield* readStdin(context.stdin, 'asked', { signal: context.signal })
    return
  }
  try {
    yield* createReadStream(name, { signal: context.signal }) as AsyncIterable<Buffer> // opened without an encoding, it gives Buffers
  } catch (error) {
    const code = systemCodeOf(error)
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'EACCES') throw new CrawlError('USAGE', `${name} cannot be read`, { cause: error })
    throw error
  }
}

/** What stdin holds if it is a pipe or file that says something; undefined if it stays silent or ends at once. */
export async function pipedInput(context: CommandContext): Promise<Uint8Array | undefined> {
  if (stdinKind() === 'silent') return undefined
  try {
    const bytes = await readAll(readStdin(context.stdin, 'implied', { silenceMs: pipeSilenceMs, signal: context.signal }))
    return bytes.length === 0 ? undefined : bytes
  } catch (error) {
    if (error instanceof CrawlError && error.code === 'USAGE') return undefined // nothing was said
    throw error
  }
}

export async function readAll(source: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(chunk)
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks)
}
