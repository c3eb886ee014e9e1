import { type FileHandle, mkdir, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { EncodedRecord, EncodedRecords } from '../record/encoded-records.js'
import { diskErrorOf } from '../store/disk-errors.js'
import { encodeWarcinfo } from './encode-warcinfo.js'
import { timestamp14 } from './warc-header.js'

export interface WarcSetOptions {
  readonly folder: string
  /** First part of the files' names. */
  readonly prefix: string
  readonly nowMs: number
  /** Last part of the files' names; left out if empty. */
  readonly host?: string
  /** `.warc.gz` or, for texts, `.warc.wet.gz`. @defaultValue '.warc.gz' */
  readonly extension?: string
  /** Size at which a file is closed. @defaultValue 1 GB */
  readonly maxFileBytes?: number
  readonly warcinfo?: Readonly<Record<string, string>>
  /** Told of each record and the place it got. */
  readonly onRecord?: (record: EncodedRecord, file: string, offsetBytes: number) => Promise<void> | undefined
}

/** A file of the set. */
export interface WarcSetFile {
  readonly file: string
  readonly records: number
  readonly bytes: number
}

/**
 * Writes a set of WARC files named by the convention prefix, timestamp, serial number, host (WARC/1.1 annex C). A file bears `.open` behind its
 * name until it is whole.
 */
export class WarcSetWriter {
  readonly files: WarcSetFile[] = []
  #handle: FileHandle | undefined
  #file = ''
  #bytes = 0
  #records = 0

  constructor(readonly options: WarcSetOptions) {}

  /** @throws {CrawlError} DISK_FULL, IO_FAILED */
  async write(encoded: EncodedRecords): Promise<void> {
    const { maxFileBytes = 1_000_000_000, onRecord } = this.options
    if (this.#records > 1 && this.#bytes + encoded.bytes.length > maxFileBytes) await this.close()
    if (this.#handle === undefined) await this.#begin()
    const startBytes = this.#bytes
    await this.#append(encoded.bytes)
    this.#records += encoded.records.length
    for (const record of encoded.records) await onRecord?.(record, this.#file, startBytes + record.offsetBytes)
  }

  /** Forces the file that is open to the disk and gives it its name. */
  async close(): Promise<void> {
    const handle = this.#handle
    if (handle === undefined) return
    this.#handle = undefined
    await handle.sync()
    await handle.close()
    const path = join(this.options.folder, this.#file)
    await rename(`${path}.open`, path)
    this.files.push({ file: path, records: this.#records, bytes: this.#bytes })
  }

  async #begin(): Promise<void> {
    const { folder, prefix, nowMs, host = '', extension = '.warc.gz', warcinfo = {} } = this.options
    const serial = String(this.files.length).padStart(5, '0')
    this.#file = `${[prefix, timestamp14(nowMs), serial, ...(host === '' ? [] : [host])].join('-')}${extension}`
    await mkdir(folder, { recursive: true })
    this.#handle = await open(join(folder, `${this.#file}.open`), 'w')
    this.#bytes = 0
    this.#records = 1
    await this.#append(encodeWarcinfo({ filename: this.#file, timeMs: nowMs, fields: warcinfo }))
  }

  async #append(bytes: Uint8Array): Promise<void> {
    try {
      await this.#handle?.appendFile(bytes)
    } catch (cause) {
      throw diskErrorOf(cause, join(this.options.folder, this.#file))
    }
    this.#bytes += bytes.length
  }
}
