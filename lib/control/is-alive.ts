import { systemCodeOf } from '../errors/crawl-error.js'

/** Whether there is a process with this id, of whichever user. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return systemCodeOf(error) === 'EPERM'
  }
}
