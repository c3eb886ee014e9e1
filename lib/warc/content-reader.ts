import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { CrawlError, messageOf } from '../errors/crawl-error.js'
import type { ContentRef, FetchOutcome } from '../record/records.js'
import type { DecodeBodyOptions } from './http-body.js'
import { decodeContent, type StoredContent } from './stored-content.js'

/** Reads pages' answers from the content files of one folder by their references; files stay open until close. */
export class ContentReader {
  readonly #handles = new Map<string, Promise<FileHandle>>()
  constructor(readonly folder: string) {}

  /** The record's gzip member as stored, for `decodeContent` in a worker thread. @throws {CrawlError} SEGMENT_CORRUPT if the file ends before it */
  async readMember({ file, offsetBytes, lengthBytes }: ContentRef): Promise<Buffer> {
    const handle = await this.#open(file)
    const member = Buffer.allocUnsafeSlow(lengthBytes)
    let filledBytes = 0
    while (filledBytes < lengthBytes) {
      const { bytesRead } = await handle.read(member, filledBytes, lengthBytes - filledBytes, offsetBytes + filledBytes)
      if (bytesRead === 0) throw new CrawlError('SEGMENT_CORRUPT', `${join(this.folder, file)}: ends before byte ${offsetBytes + lengthBytes}`)
      filledBytes += bytesRead
    }
    return member
  }

  /** @throws {CrawlError} SEGMENT_CORRUPT naming file and byte if no record is there */
  async read(ref: ContentRef, options?: DecodeBodyOptions): Promise<StoredContent> {
    const member = await this.readMember(ref)
    try {
      return await decodeContent(member, options)
    } catch (cause) {
      throw new CrawlError('SEGMENT_CORRUPT', `${join(this.folder, ref.file)}: record at byte ${ref.offsetBytes}: ${messageOf(cause)}`, { cause })
    }
  }

  /** A page's own answer, its payload no longer than it was when it was fetched; undefined if none is stored. @throws {CrawlError} as `read` */
  async readAnswer({ content, contentLengthBytes }: Pick<FetchOutcome, 'content' | 'contentLengthBytes'>): Promise<StoredContent | undefined> {
    return content === undefined ? undefined : this.read(content, { maxPayloadBytes: contentLengthBytes })
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#handles.values()].map(async handle => (await handle).close()))
    this.#handles.clear()
  }

  #open(file: string): Promise<FileHandle> {
    const known = this.#handles.get(file)
    if (known !== undefined) return known
    const opened = open(join(this.folder, file), 'r').catch(cause => {
      throw new CrawlError('SEGMENT_CORRUPT', `${join(this.folder, file)}: cannot be read`, { cause })
    })
    this.#handles.set(file, opened)
    return opened
  }
}
