import { CrawlError } from '../errors/crawl-error.js'

/*
 * What goes over the control socket: a byte for the kind, four for the length (big-endian), and that many bytes. The asker sends `ask` (JSON),
 * then a piece of its stdin, or its end, for each `want`; the holder sends `out` and `err` as they come, and `exit` (JSON) last.
 */
export const frameKinds = { ask: 1, want: 2, input: 3, inputEnd: 4, out: 5, err: 6, exit: 7 } as const
export type FrameKind = keyof typeof frameKinds

export interface Frame {
  readonly kind: FrameKind
  readonly bytes: Buffer
}

const headBytes = 5
const maxFrameBytes = 16 * 1024 * 1024
const kindOfCode = new Map<number, FrameKind>(Object.entries(frameKinds).map(([kind, code]) => [code, kind as FrameKind])) // keys of the table

export function encodeFrame(kind: FrameKind, payload: Uint8Array | string = ''): Buffer {
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload
  const frame = Buffer.allocUnsafe(headBytes + bytes.length)
  frame[0] = frameKinds[kind]
  frame.writeUInt32BE(bytes.length, 1)
  frame.set(bytes, headBytes)
  return frame
}

/** Puts frames together again, however they were cut on the way. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0)

  /** The frames that are whole with these bytes. @throws {CrawlError} CONTROL_FAILED if it is none of ours, or too long */
  push(chunk: Uint8Array): Frame[] {
    this.#rest = this.#rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#rest, chunk])
    const frames: Frame[] = []
    while (this.#rest.length >= headBytes) {
      const kind = kindOfCode.get(this.#rest[0] as number)
      const length = this.#rest.readUInt32BE(1)
      if (kind === undefined || length > maxFrameBytes)
        throw new CrawlError('CONTROL_FAILED', 'what came over the control socket is no message of millrace')
      if (this.#rest.length < headBytes + length) break
      frames.push({ kind, bytes: Buffer.from(this.#rest.subarray(headBytes, headBytes + length)) })
      this.#rest = this.#rest.subarray(headBytes + length)
    }
    return frames
  }
}
