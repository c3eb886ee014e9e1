import { readdirSync, readFileSync } from 'node:fs'

/** What Linux tells of a process under /proc; fields are absent where the system does not tell, and when the process has gone. */
export interface ProcessUse {
  /** Most memory that was resident. */
  readonly peakBytes?: number
  readonly residentBytes?: number
  /** Of that, what is the process's own: without files that are mapped, such as tables of LevelDB, which the system takes back when it needs the memory. */
  readonly ownBytes?: number
  /** User and system time. */
  readonly cpuMs?: number
}

/** Clock ticks of /proc/PID/stat, which Linux fixes at 100 a second for programs. */
const msPerTick = 10

export function useOf(pid: number): ProcessUse {
  const status = readProc(pid, 'status')
  const bytesOf = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024
  const times = readProc(pid, 'stat').split(') ')[1]?.split(' ') // the name before it may hold anything
  const ticks = Number(times?.[11]) + Number(times?.[12])
  return withoutNaN({ peakBytes: bytesOf('VmHWM'), residentBytes: bytesOf('VmRSS'), ownBytes: bytesOf('RssAnon'), cpuMs: ticks * msPerTick })
}

/** Files, sockets and pipes that a process holds open. */
export function openFilesOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return Number.NaN
  }
}

function withoutNaN(use: Required<ProcessUse>): ProcessUse {
  return Object.fromEntries(Object.entries(use).filter(([, value]) => !Number.isNaN(value)))
}

/** Empty where there is no such file, and when the process has gone. */
function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}
