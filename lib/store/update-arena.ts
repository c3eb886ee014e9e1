import type { KeyOrder, Update } from './update.js'

const firstBytes = 256 * 1024
/** What a job adds at once, about: an arena is full when it holds more than its limit. */
const spareBytes = 2 * 1024 * 1024
/** No UTF-16 unit takes more in UTF-8. */
const utf8BytesPerUnit = 3
/** Of the numbers that say where an update stands. */
const bytesPerPlace = 16
const tab = 0x09
const lineEnd = 0x0a

/** Updates as bytes in one piece of memory, a line of key, tab and payload for each, and sorted there: however many they are, V8 has few objects to collect. */
export class UpdateArena {
  #bytes = Buffer.allocUnsafeSlow(firstBytes)
  #used = 0
  /** Where each line starts. */
  readonly #starts: number[] = []
  /** Lines that are not read yet by their index in `#starts`, the last one first. */
  #order: number[] = []
  /** What of the line that is read was read before, when `into` was full. */
  #readBytes = 0
  readonly #limitBytes: number

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  get isEmpty(): boolean {
    return this.#starts.length === 0
  }

  get isFull(): boolean {
    return this.#used + this.#starts.length * bytesPerPlace > this.#limitBytes
  }

  add({ key, payload }: Update): void {
    const mostBytes = (key.length + payload.length) * utf8BytesPerUnit + 2
    if (this.#bytes.length - this.#used < mostBytes) this.#grow(mostBytes)
    this.#starts.push(this.#used)
    let end = this.#used
    end += this.#bytes.write(key, end)
    this.#bytes[end++] = tab
    end += this.#bytes.write(payload, end)
    this.#bytes[end++] = lineEnd
    this.#used = end
  }

  /** Begins to read: lines by key, those of one key as they were added. */
  sort(order: KeyOrder): void {
    const [bytes, starts, sign] = [this.#bytes, this.#starts, order === 'descending' ? -1 : 1]
    this.#readBytes = 0
    this.#order = [...starts.keys()].sort((a, b) => sign * compareKeys(bytes, starts[b] as number, starts[a] as number) || b - a)
  }

  /** Puts the bytes that come next into a buffer, and gives their number, 0 at the end. Then there is room for other updates. */
  read(into: Buffer): number {
    let filled = 0
    for (let index = this.#order.at(-1); index !== undefined; index = this.#order.at(-1)) {
      const start = (this.#starts[index] as number) + this.#readBytes
      const end = Math.min(this.#starts[index + 1] ?? this.#used, start + into.length - filled)
      filled += copy(this.#bytes, start, end, into, filled)
      if (filled === into.length) {
        this.#readBytes += end - start
        return filled
      }
      this.#readBytes = 0
      this.#order.pop()
    }
    if (filled === 0) this.#clear()
    return filled
  }

  #clear(): void {
    this.#starts.length = 0
    this.#used = 0
  }

  /** To all that it will need, where it was not enough: what is not used yet takes no memory, and V8 collects for each buffer that it is given. */
  #grow(bytes: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#limitBytes + spareBytes, this.#bytes.length * 2, this.#used + bytes))
    this.#bytes.copy(larger, 0, 0, this.#used)
    this.#bytes = larger
  }
}

/** Below 0 if the key at `a` comes before that at `b`, by their bytes as LevelDB has it. */
function compareKeys(bytes: Buffer, a: number, b: number): number {
  for (let offset = 0; ; offset++) {
    const x = bytes[a + offset] as number // within both: each key has its tab
    const y = bytes[b + offset] as number
    if (x !== y) return x === tab ? -1 : y === tab ? 1 : x - y
    if (x === tab) return 0
  }
}

/** For a line of some hundred bytes this is faster than a call that makes a view. */
function copy(from: Buffer, start: number, end: number, into: Buffer, at: number): number {
  for (let index = start, place = at; index < end; index++, place++) into[place] = from[index] as number // within both
  return end - start
}
