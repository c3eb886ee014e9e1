import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { CrawlError, messageOf } from '../../lib/errors/crawl-error.js'

/** Refuses input files of a command line that cannot be read, all together and before anything starts. @throws {CrawlError} USAGE naming each */
export async function checkInputFiles(files: readonly string[]): Promise<void> {
  const faults = (await Promise.all(files.map(faultOf))).filter(fault => fault !== undefined)
  if (faults.length > 0) throw new CrawlError('USAGE', faults.join('; '))
}

async function faultOf(file: string): Promise<string | undefined> {
  try {
    await access(file, constants.R_OK)
    return (await stat(file)).isDirectory() ? `${file} is a folder` : undefined
  } catch (error) {
    return `${file} cannot be read: ${messageOf(error)}`
  }
}
