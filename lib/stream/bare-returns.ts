const lineFeed = 0x0a
const carriageReturn = 0x0d

/**
 * Ends lines at a CR that no LF follows, too: in lists of URLs, which no CR can be part of, it is the line end of old editors, and Nutch reads seeds so
 * (Hadoop's LineReader). Stands before `splitLines`, which takes LF and CRLF.
 */
export async function* bareReturnsAsFeeds(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  let isHolding = false // a CR at the end of a chunk, until it is known what follows
  for await (const chunk of source) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    if (bytes.length === 0) continue
    if (isHolding) yield Buffer.of(bytes[0] === lineFeed ? carriageReturn : lineFeed)
    isHolding = bytes.at(-1) === carriageReturn
    yield withFeeds(isHolding ? bytes.subarray(0, -1) : bytes)
  }
  if (isHolding) yield Buffer.of(lineFeed)
}

/** `bytes`, or a copy if there is something to change. */
function withFeeds(bytes: Buffer): Buffer {
  let changed = bytes
  for (let at = bytes.indexOf(carriageReturn); at >= 0; at = bytes.indexOf(carriageReturn, at + 1)) {
    if (bytes[at + 1] === lineFeed) continue
    if (changed === bytes) changed = Buffer.from(bytes)
    changed[at] = lineFeed
  }
  return changed
}
