import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { CrawlError, messageOf, systemCodeOf } from '../lib/errors/crawl-error.js'
import { diskErrorOf } from '../lib/store/disk-errors.js'
import { hashFile } from '../lib/store/hash-file.js'
import type { JobInput } from '../lib/store/job-ledger.js'

/** The seed files that names stand for: a folder gives the files in it, by name and not those of folders below it (as Nutch); links are followed. What can
 *  be read only once, as `<(…)` and named pipes are, is put on disk first, once all are known to be there.
 *  @throws {CrawlError} USAGE if there is no such file, or a folder holds none */
export async function listSeedFiles(names: readonly string[], spoolFolder: string): Promise<string[]> {
  const paths: string[] = []
  for (const name of names) {
    const path = resolve(name)
    if (!(await statOf(path)).isDirectory()) paths.push(path)
    else paths.push(...(await filesIn(path)))
  }
  const files: string[] = []
  for (const path of paths) files.push((await statOf(path)).isFile() ? path : await spoolSeeds(createReadStream(path), spoolFolder))
  return files
}

async function filesIn(folder: string): Promise<string[]> {
  const files: string[] = []
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (!entry.name.startsWith('.') && (entry.isFile() || (entry.isSymbolicLink() && (await statOf(path)).isFile()))) files.push(path)
  }
  if (files.length === 0) throw new CrawlError('USAGE', `${folder} holds no seed file`)
  return files.sort()
}

async function statOf(path: string): ReturnType<typeof stat> {
  try {
    return await stat(path)
  } catch (cause) {
    if (systemCodeOf(cause) === 'ENOENT') throw new CrawlError('USAGE', `there is no seed file ${path}`, { cause })
    throw new CrawlError('IO_FAILED', `${path} cannot be read: ${messageOf(cause)}`, { cause })
  }
}

/** Writes piped seeds to disk, under a name made of their digest, so that a job that was killed can go on with them. */
export async function spoolSeeds(source: Readable | AsyncIterable<Uint8Array>, spoolFolder: string): Promise<string> {
  const temporary = join(spoolFolder, `seeds-${process.pid}-${randomUUID()}.tmp`)
  const hash = createHash('sha256')
  try {
    await mkdir(spoolFolder, { recursive: true })
    await pipeline(
      source,
      async function* tap(chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          hash.update(chunk)
          yield chunk
        }
      },
      createWriteStream(temporary),
    )
    const handle = await open(temporary, 'r+')
    await handle.sync().finally(() => handle.close())
    const file = join(spoolFolder, `seeds-${hash.digest('hex').slice(0, 24)}`)
    await rename(temporary, file)
    return file
  } catch (error) {
    await rm(temporary, { force: true })
    throw diskErrorOf(error, temporary)
  }
}

/** Removes those of a job's files that `spoolSeeds` wrote: the job is done, and nothing asks for them any more. */
export async function removeSpooled(files: readonly string[], spoolFolder: string): Promise<void> {
  for (const file of files) if (isWithin(spoolFolder, file)) await rm(file, { force: true })
}

/** Name and digest of a file. What stands in the crawl's folder is named as seen from there, so that a job goes on wherever the folder is, and whatever the
 *  working folder: `resolve(root, name)` is the file. @throws {CrawlError} IO_FAILED */
export async function inputOf(file: string, root: string): Promise<JobInput> {
  try {
    return { name: isWithin(root, file) ? relative(root, file) : resolve(file), digest: (await hashFile(file)).sha256 }
  } catch (error) {
    throw diskErrorOf(error, file)
  }
}

function isWithin(folder: string, file: string): boolean {
  return resolve(file).startsWith(resolve(folder) + sep)
}

/** The bytes of a seed file, unpacked if it is gzip. */
export async function* readSeedFile(file: string): AsyncGenerator<Uint8Array> {
  const raw = createReadStream(file, { highWaterMark: 256 * 1024 })
  if (!(await isGzip(file))) return yield* raw as AsyncIterable<Buffer> // no encoding is set
  const unpacked = createGunzip()
  const copying = pipeline(raw, unpacked)
  copying.catch(() => undefined) // reaches the loop below as well
  try {
    yield* unpacked
  } catch (error) {
    throw new CrawlError('LINE_INVALID', `${file} does not unpack: ${messageOf(error)}`, { cause: error })
  }
  await copying
}

async function isGzip(file: string): Promise<boolean> {
  const handle = await open(file, 'r')
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0)
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b
  } finally {
    await handle.close()
  }
}
