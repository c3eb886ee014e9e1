import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { systemCodeOf } from '../errors/crawl-error.js'
import { diskErrorOf } from '../store/disk-errors.js'
import { writeAll } from '../store/write-all.js'
import { syncFolder } from './sync-folder.js'

const bufferBytes = 1024 * 1024

/** A file that is written under a temporary name and put in its place when it is whole: after a crash it is there or it is not. */
export class AtomicFile {
  #pending: Buffer[] = []
  #pendingBytes = 0
  #lengthBytes = 0

  private constructor(
    readonly path: string,
    readonly handle: FileHandle,
  ) {}

  static async open(path: string): Promise<AtomicFile> {
    try {
      return new AtomicFile(path, await open(`${path}.tmp`, 'w'))
    } catch (cause) {
      throw diskErrorOf(cause, path)
    }
  }

  /** What was written so far. */
  get lengthBytes(): number {
    return this.#lengthBytes
  }

  async write(content: string | Uint8Array): Promise<void> {
    const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content.buffer, content.byteOffset, content.byteLength)
    this.#pending.push(bytes)
    this.#pendingBytes += bytes.length
    this.#lengthBytes += bytes.length
    if (this.#pendingBytes >= bufferBytes) await this.#flush()
  }

  /** Forces the file to the disk and gives it its name. @throws {CrawlError} DISK_FULL, IO_FAILED; then there is no file */
  async commit(): Promise<void> {
    await this.prepare()
    await AtomicFile.putInPlace(this.path)
  }

  /** Forces the whole file to the disk, under its temporary name still. @throws {CrawlError} DISK_FULL, IO_FAILED; then there is no file */
  async prepare(): Promise<void> {
    try {
      await this.#flush()
      await this.handle.sync()
      await this.handle.close()
    } catch (cause) {
      await this.discard()
      throw diskErrorOf(cause, this.path)
    }
  }

  /** Gives a prepared file its name; nothing to do if it has it. */
  static async putInPlace(path: string): Promise<void> {
    try {
      await rename(`${path}.tmp`, path)
    } catch (cause) {
      if (systemCodeOf(cause) !== 'ENOENT') throw diskErrorOf(cause, path)
    }
    await syncFolder(dirname(path))
  }

  /** Leaves no file. */
  async discard(): Promise<void> {
    await this.handle.close().catch(() => undefined) // closed already, or failing as the write before it did
    await rm(`${this.path}.tmp`, { force: true })
  }

  async #flush(): Promise<void> {
    const pending = this.#pending
    this.#pending = []
    this.#pendingBytes = 0
    try {
      await writeAll(this.handle, pending)
    } catch (cause) {
      throw diskErrorOf(cause, this.path)
    }
  }
}
