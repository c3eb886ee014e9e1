import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isJsonObject } from '../lib/record/line-format.js'
import { writeAtomic } from '../lib/segment/write-atomic.js'

/** Which segments a search engine has: `DIR/index/<hash of its address>.json`. A file that does not read is none. */
export class IndexState {
  readonly #file: string
  readonly #done: Set<string>

  private constructor(file: string, done: Set<string>) {
    this.#file = file
    this.#done = done
  }

  static async open(folder: string, target: string, isRestarting: boolean): Promise<IndexState> {
    const name = createHash('sha256').update(target).digest('hex').slice(0, 16)
    const file = join(folder, 'index', `${name}.json`)
    await mkdir(join(folder, 'index'), { recursive: true })
    return new IndexState(file, new Set(isRestarting ? [] : await readDone(file)))
  }

  has(segment: string): boolean {
    return this.#done.has(segment)
  }

  async add(segment: string): Promise<void> {
    this.#done.add(segment)
    await writeAtomic(this.#file, `${JSON.stringify({ segments: [...this.#done].sort() })}\n`)
  }
}

async function readDone(file: string): Promise<string[]> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'))
    const segments = isJsonObject(value) ? value.segments : undefined
    return Array.isArray(segments) ? segments.map(String) : []
  } catch {
    return [] // none yet, or torn: documents are sent again, which changes nothing
  }
}
