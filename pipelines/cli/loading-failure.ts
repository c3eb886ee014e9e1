import { closeSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { systemCodeOf } from '../../lib/errors/crawl-error.js'

/** So many files are open at once, at most, while the program is loaded. */
const filesAtOnce = 64

/**
 * What went wrong when a part of the program could not be loaded: where no more files may be opened, the loader says so of a file of the program, or that
 * there is no such file. Other errors stay what they are.
 */
export function explainLoading(error: unknown): unknown {
  if (!isOfLoader(error) || hasFilesLeft()) return error
  const message = 'too many open files: the program cannot be loaded; ulimit -n shows how many there may be, and lets more be'
  return Object.assign(new Error(message), { code: 'EMFILE' })
}

function isOfLoader(error: unknown): boolean {
  const code = systemCodeOf(error)
  const isProgram = error instanceof Error && 'path' in error && /\.[cm]?js(?:on)?$/.test(String(error.path))
  return code === 'ERR_MODULE_NOT_FOUND' || ((code === 'EMFILE' || code === 'ENFILE') && isProgram)
}

function hasFilesLeft(): boolean {
  const opened: number[] = []
  try {
    while (opened.length < filesAtOnce) opened.push(openSync(fileURLToPath(import.meta.url), 'r'))
    return true
  } catch {
    return false
  } finally {
    for (const file of opened) closeSync(file)
  }
}
