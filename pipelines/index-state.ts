import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isJsonObject } from '../lib/record/line-format.js'
import { writeAtomic } from '../lib/segment/write-atomic.js'

/** What a search engine has: `DIR/index/<hash of its address>.json`. A file that does not read says that it has nothing. */
export class IndexState {
  readonly #file: string
  readonly #target: string
  readonly #done: Set<string>
  /** How far segments came that are not done: the last key that the engine answered for. */
  readonly #partly: Map<string, string>

  private constructor(file: string, target: string, { done, partly }: StateJson) {
    this.#file = file
    this.#target = target
    this.#done = new Set(done)
    this.#partly = new Map(partly)
  }

  /** @param isRestarting forgets what was sent */
  static async open(folder: string, target: string, isRestarting: boolean): Promise<IndexState> {
    const name = createHash('sha256').update(target).digest('hex').slice(0, 16)
    const file = join(folder, 'index', `${name}.json`)
    await mkdir(join(folder, 'index'), { recursive: true })
    return new IndexState(file, target, isRestarting ? nothing : await readState(file))
  }

  progressOf(segment: string): 'done' | { readonly afterKey: string } | undefined {
    if (this.#done.has(segment)) return 'done'
    const afterKey = this.#partly.get(segment)
    return afterKey === undefined ? undefined : { afterKey }
  }

  async noteSent(segment: string, key: string): Promise<void> {
    this.#partly.set(segment, key)
    await this.#write()
  }

  async noteDone(segment: string): Promise<void> {
    this.#partly.delete(segment)
    this.#done.add(segment)
    await this.#write()
  }

  /** Forgets how far a segment came: it is to be sent from its beginning. */
  forget(segment: string): void {
    this.#partly.delete(segment)
    this.#done.delete(segment)
  }

  #write(): Promise<void> {
    const state = { target: this.#target, segments: [...this.#done].sort(), partly: Object.fromEntries(this.#partly) }
    return writeAtomic(this.#file, `${JSON.stringify(state)}\n`)
  }
}

interface StateJson {
  readonly done: readonly string[]
  readonly partly: readonly (readonly [string, string])[]
}

const nothing: StateJson = { done: [], partly: [] }

async function readState(file: string): Promise<StateJson> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'))
    if (!isJsonObject(value)) return nothing
    const done = Array.isArray(value.segments) ? value.segments.map(String) : []
    const partly = isJsonObject(value.partly) ? Object.entries(value.partly).map(([name, key]) => [name, String(key)] as const) : []
    return { done, partly }
  } catch {
    return nothing // none yet, or torn: documents are sent again, which changes nothing
  }
}
