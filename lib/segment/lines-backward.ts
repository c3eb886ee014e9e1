import { openIfThere } from './read-lines.js'

/** A whole line, met from the end of a file. */
export interface PlacedLine {
  readonly text: string
  /** Where the line begins, and where the next one does. */
  readonly offsetBytes: number
  readonly endBytes: number
}

const blockBytes = 64 * 1024

/** Whole lines from the last to the first; what stands behind the last LF is passed over. None if there is no file. */
export async function* readLinesBackward(path: string): AsyncGenerator<PlacedLine> {
  const handle = await openIfThere(path)
  if (handle === undefined) return
  try {
    let position = (await handle.stat()).size
    let tail: Buffer = Buffer.alloc(0)
    let isTorn = true
    while (position > 0) {
      const size = Math.min(blockBytes, position)
      position -= size
      const block = Buffer.alloc(size)
      await handle.read(block, 0, size, position)
      let bytes = Buffer.concat([block, tail])
      if (isTorn) {
        const end = bytes.lastIndexOf(10) + 1
        if (end === 0) continue // the torn line is longer than what was read, and none of it is kept
        bytes = bytes.subarray(0, end)
        isTorn = false
      }
      let end = bytes.length
      for (let lf = lineFeedBefore(bytes, end); lf >= 0; lf = lineFeedBefore(bytes, end)) {
        yield { text: bytes.toString('utf8', lf + 1, end - 1), offsetBytes: position + lf + 1, endBytes: position + end }
        end = lf + 1
      }
      tail = Buffer.from(bytes.subarray(0, end))
    }
    if (!isTorn && tail.length > 0) yield { text: tail.toString('utf8', 0, tail.length - 1), offsetBytes: 0, endBytes: tail.length }
  } finally {
    await handle.close()
  }
}

/** The LF that ends the line before the one that ends at `end`; -1 if there is none. */
function lineFeedBefore(bytes: Buffer, end: number): number {
  return end < 2 ? -1 : bytes.lastIndexOf(10, end - 2)
}
