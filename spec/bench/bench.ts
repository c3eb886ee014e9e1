import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '../../lib/control/is-alive.js'
import type { BenchSizes } from './sizes.js'

export interface BenchOptions {
  readonly sizes: BenchSizes
  /** Whether other crawlers run beside ours. @defaultValue false */
  readonly hasPeers?: boolean
  /** Folder in whose node_modules crawlee is. */
  readonly crawleeFolder?: string | undefined
  /** Where sites and databases that take long to make are kept between runs. @defaultValue a folder of the system's temporary one */
  readonly cacheFolder?: string | undefined
  /** Takes lines for people. */
  readonly say?: (line: string) => void
}

/** What all measures of a run share: sizes, folders, and what is made once. */
export class Bench {
  readonly sizes: BenchSizes
  readonly hasPeers: boolean
  readonly crawleeFolder: string | undefined
  readonly cacheFolder: string
  readonly say: (line: string) => void
  /** Counts rounds, so that those who are measured in turn do not always come in the same order. */
  round = 0
  readonly #made = new Map<string, Promise<unknown>>()
  readonly #closing: (() => unknown)[] = []
  readonly #work: string

  constructor({ sizes, hasPeers = false, crawleeFolder, cacheFolder = join(tmpdir(), 'millrace-bench'), say = () => undefined }: BenchOptions) {
    this.sizes = sizes
    this.hasPeers = hasPeers
    this.crawleeFolder = crawleeFolder
    this.cacheFolder = cacheFolder
    this.say = say
    mkdirSync(cacheFolder, { recursive: true })
    removeLeftOvers(cacheFolder)
    this.#work = mkdtempSync(join(cacheFolder, `work-${process.pid}-`)) // on the disk of the cache, so that tables of a db can be linked
  }

  /** A folder that is there until the run ends. */
  get workFolder(): string {
    return this.#work
  }

  /** Makes something at its first use; the same afterwards. */
  once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const made = this.#made.get(name) ?? make()
    this.#made.set(name, made)
    return made as Promise<T> // whoever uses a name makes the same
  }

  /** What is to be closed at the end of the run. */
  onClose(close: () => unknown): void {
    this.#closing.push(close)
  }

  /** Hands `use` a new folder and removes it afterwards. */
  async withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
    const folder = mkdtempSync(join(this.#work, 'run-'))
    try {
      return await use(folder)
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    }
  }

  async close(): Promise<void> {
    for (const close of this.#closing.splice(0).reverse()) await close()
    rmSync(this.#work, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Removes the work folders of runs that were killed. */
function removeLeftOvers(cacheFolder: string): void {
  for (const name of readdirSync(cacheFolder)) {
    const pid = /^work-(\d+)-/.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(cacheFolder, name), { recursive: true, force: true })
  }
}
