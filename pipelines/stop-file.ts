import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../lib/log/logger.js'

const lookMs = 500

export interface StopFileWatch {
  /** Aborted by `stop`, or when a `.STOP` file is there. */
  readonly signal: AbortSignal
  end(): void
}

/** As Nutch's crawl script, a crawl stops where a file `.STOP` is found: in its folder, or in the working folder. The file is left there. */
export function watchStopFile(folder: string, stop: AbortSignal, log?: Logger): StopFileWatch {
  const found = new AbortController()
  const files = [join(folder, '.STOP'), '.STOP']
  const look = async (): Promise<void> => {
    for (const file of files) {
      if (found.signal.aborted || !(await isThere(file))) continue
      found.abort(new Error(`stopped by ${file}`))
      log?.warn({ file }, 'stopped by a file; remove it to crawl on')
    }
  }
  const timer = setInterval(() => void look(), lookMs)
  timer.unref()
  void look()
  return { signal: AbortSignal.any([stop, found.signal]), end: () => clearInterval(timer) }
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
