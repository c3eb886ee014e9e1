import { type FileHandle, open } from 'node:fs/promises'
import { diskErrorOf } from '../store/disk-errors.js'
import { writeAll } from '../store/write-all.js'

/** A file that is only appended to, and that knows its length. */
export class AppendFile {
  private constructor(
    readonly path: string,
    readonly handle: FileHandle,
    private endBytes: number,
  ) {}

  /** Opens or makes the file; what stands behind `keepBytes` is cut off. @throws {CrawlError} DISK_FULL, IO_FAILED */
  static async open(path: string, keepBytes?: number): Promise<AppendFile> {
    try {
      const handle = await open(path, 'a')
      const { size } = await handle.stat()
      if (keepBytes !== undefined && keepBytes < size) await handle.truncate(keepBytes)
      return new AppendFile(path, handle, Math.min(size, keepBytes ?? size))
    } catch (cause) {
      throw diskErrorOf(cause, path)
    }
  }

  get lengthBytes(): number {
    return this.endBytes
  }

  /** Writes all of `bytes` behind the end, in as few calls as the system allows. @throws {CrawlError} DISK_FULL, IO_FAILED */
  async append(bytes: readonly Uint8Array[]): Promise<void> {
    try {
      this.endBytes += await writeAll(this.handle, bytes)
    } catch (cause) {
      throw diskErrorOf(cause, this.path)
    }
  }

  async sync(): Promise<void> {
    try {
      await this.handle.datasync()
    } catch (cause) {
      throw diskErrorOf(cause, this.path)
    }
  }

  async close(): Promise<void> {
    await this.handle.close()
  }
}
