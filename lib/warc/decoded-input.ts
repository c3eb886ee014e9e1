import type { CrawlError } from '../errors/crawl-error.js'
import type { ByteCursor } from '../stream/unpack/byte-cursor.js'
import { gzipMembers, type MemberPart } from '../stream/unpack/gzip-members.js'

const recordLead = Buffer.from('WARC/')
const memberLead = Buffer.from([0x1f, 0x8b, 0x08])
const startBytes = 64 * 1024

/** A gzip member that is broken. */
export interface MemberFault {
  readonly offsetBytes: number
  readonly error: CrawlError
}

/** Where a position in the unpacked bytes comes from. */
export interface Origin {
  /** In the file: of the byte itself, or of the gzip member that holds it. */
  readonly offsetBytes: number
  /** Whether a record here begins its own gzip member; always so in a plain file. */
  readonly isAligned: boolean
}

/**
 * The unpacked bytes of a WARC file, packed or not, with what is known of their origin. Does not look beyond a gzip member that ends where
 * another record begins, so that a record with a wrong length cannot swallow the next one.
 */
export class DecodedInput {
  readonly #parts: AsyncGenerator<MemberPart>
  /** Whether the file is made of gzip members. */
  readonly isPacked: boolean
  #buffer: Buffer = Buffer.alloc(0)
  /** The first bytes of a member that begins a record. */
  #held: Buffer | undefined
  #isEnded = false
  #members: { offsetBytes: number; position: number }[] = []
  #faults: MemberFault[] = []
  /** End of the last member that was unpacked, in the file. */
  #memberEndBytes = 0
  position = 0

  private constructor(
    readonly cursor: ByteCursor,
    isPacked: boolean,
  ) {
    this.isPacked = isPacked
    this.#parts = isPacked ? gzipMembers(cursor) : plainParts(cursor)
  }

  static async open(cursor: ByteCursor): Promise<DecodedInput> {
    return new DecodedInput(cursor, isPackedStart(await cursor.peek(startBytes)))
  }

  /** What comes next, up to where a member ends before another record. */
  async peek(count: number): Promise<Buffer> {
    while (this.#buffer.length < count && this.#held === undefined && !this.#isEnded) await this.#pull()
    return this.#buffer
  }

  skip(count: number): void {
    this.#buffer = this.#buffer.subarray(count)
    this.position += count
  }

  /** Goes on to the member that was not looked into. @returns whether there is one */
  async advance(): Promise<boolean> {
    if (this.#held === undefined) return false
    this.position += this.#buffer.length
    this.#buffer = this.#held
    this.#held = undefined
    return true
  }

  /** Where the byte at `position` comes from. */
  origin(position: number): Origin {
    if (!this.isPacked) return { offsetBytes: position, isAligned: true }
    while ((this.#members[1]?.position ?? Number.POSITIVE_INFINITY) <= position) this.#members.shift()
    const member = this.#members[0]
    return { offsetBytes: member?.offsetBytes ?? 0, isAligned: member?.position === position }
  }

  /** Where in the file what was taken ends. */
  endBytes(): number {
    if (!this.isPacked) return this.position
    const next = this.#members.find(member => member.position >= this.position && member.offsetBytes > 0)
    return next?.offsetBytes ?? this.#memberEndBytes
  }

  /** What went wrong with members that begin before `beforeBytes`, since it was last asked. */
  takeFaults(beforeBytes = Number.POSITIVE_INFINITY): readonly MemberFault[] {
    const faults = this.#faults.filter(({ offsetBytes }) => offsetBytes < beforeBytes)
    this.#faults = this.#faults.filter(({ offsetBytes }) => offsetBytes >= beforeBytes)
    return faults
  }

  async close(): Promise<void> {
    await this.#parts.return(undefined)
    await this.cursor.close()
  }

  async #pull(): Promise<void> {
    const { done, value: part } = await this.#parts.next()
    if (done === true) {
      this.#isEnded = true
      this.#memberEndBytes = this.cursor.position
    } else if (part.kind === 'start') this.#members.push({ offsetBytes: part.offsetBytes, position: this.position + this.#buffer.length })
    else if (part.kind === 'end') this.#memberEndBytes = part.endBytes
    else if (part.kind === 'fault') this.#faults.push({ offsetBytes: part.offsetBytes, error: part.error })
    else this.#take(part.bytes)
  }

  #take(bytes: Buffer): void {
    const start = this.position + this.#buffer.length
    const beginsMember = this.isPacked && this.#members.at(-1)?.position === start
    if (beginsMember && start > 0 && bytes.subarray(0, recordLead.length).equals(recordLead)) this.#held = bytes
    else this.#buffer = this.#buffer.length === 0 ? bytes : Buffer.concat([this.#buffer, bytes])
  }
}

/** Whether a file that begins so is made of gzip members; also where its first one is damaged. */
function isPackedStart(start: Buffer): boolean {
  if (start[0] === 0x1f && start[1] === 0x8b) return true
  const member = start.indexOf(memberLead)
  const record = start.indexOf(recordLead)
  return member >= 0 && (record < 0 || record > member)
}

async function* plainParts(cursor: ByteCursor): AsyncGenerator<MemberPart> {
  for (;;) {
    const bytes = await cursor.peek(1)
    if (bytes.length === 0) return
    cursor.skip(bytes.length)
    yield { kind: 'bytes', bytes }
  }
}
