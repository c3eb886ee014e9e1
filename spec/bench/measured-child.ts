import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { millraceBin } from '../support/cli.js'
import { projectRoot } from '../support/paths.js'
import { type ProcessUse, useOf } from './proc.js'

export interface MeasureOptions {
  /** File that becomes the child's stdin. Without it stdin is the null device. */
  readonly stdinFile?: string
  readonly cwd?: string
  /** After this the child is killed and the run is an error. @defaultValue 1 hour */
  readonly timeoutMs?: number
  /** Exit statuses that are no error. @defaultValue [0] */
  readonly statuses?: readonly (number | null)[]
}

/** How a child process went. */
export interface MeasuredRun {
  readonly stdout: string
  readonly stderr: string
  /** From its start to the end of its output. */
  readonly elapsedMs: number
  /** Most memory that was resident; absent where the system does not tell. */
  readonly peakBytes?: number
  /** Most of it that was seen to be the process's own, without files that are mapped. */
  readonly peakOwnBytes?: number
  /** User and system time; absent where the system does not tell. */
  readonly cpuMs?: number
}

export interface MeasuredChild {
  /** Absent if it could not be started. */
  readonly pid: number | undefined
  /** `Date.now()` when it was started, with fractions. */
  readonly startedMs: number
  readonly result: Promise<MeasuredRun>
  /** Ends it at once; the result is then a run like any other. */
  kill(): void
}

const lookEveryMs = 50

/** Runs the built program as a user does. */
export function runMillrace(args: readonly string[], options?: MeasureOptions): Promise<MeasuredRun> {
  return startMillrace(args, options).result
}

export function startMillrace(args: readonly string[], options?: MeasureOptions): MeasuredChild {
  return startMeasured(process.execPath, [millraceBin, ...args], options)
}

/** Starts a program and watches its memory and time until it ends. */
export function startMeasured(program: string, args: readonly string[], options: MeasureOptions = {}): MeasuredChild {
  const { cwd = projectRoot, stdinFile, timeoutMs = 3_600_000, statuses = [0] } = options
  const stdin = stdinFile === undefined ? 'ignore' : openSync(stdinFile, 'r')
  const startedMs = performance.timeOrigin + performance.now()
  const child = spawn(program, args, { cwd, stdio: [stdin, 'pipe', 'pipe'] })
  if (typeof stdin === 'number') closeSync(stdin)
  let isKilled = false
  const endWithUs = (): void => void child.kill('SIGKILL')
  process.once('exit', endWithUs)
  const use = watchUse(child)
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
  const result = new Promise<MeasuredRun>((resolve, reject) => {
    const output = collectOutput(child)
    child.once('error', reject)
    child.once('exit', use.stop)
    child.once('close', (status, signal) => {
      clearTimeout(timer)
      process.off('exit', endWithUs)
      use.stop()
      const run = { ...output, elapsedMs: performance.timeOrigin + performance.now() - startedMs, ...use.seen() }
      if (isKilled || statuses.includes(status)) resolve(run)
      else reject(new Error(`${[program, ...args].join(' ')} ended with ${status ?? signal}\n${output.stderr.slice(-2000)}`))
    })
  })
  const kill = (): void => {
    isKilled = true
    child.kill('SIGKILL')
  }
  return { pid: child.pid, startedMs, result, kill }
}

function collectOutput(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  }
  return output
}

type Use = Pick<ProcessUse, 'peakBytes' | 'cpuMs'>

/** Looks at a process under /proc while it runs: its peak only grows, so that the last look counts. */
function watchUse({ pid }: ChildProcess): { seen(): Use & Pick<MeasuredRun, 'peakOwnBytes'>; stop(): void } {
  let use: Use & { readonly peakOwnBytes?: number } = {}
  const look = (): void => {
    if (pid === undefined) return
    const found = useOf(pid)
    use = { ...use, ...useFields(found), peakOwnBytes: Math.max(use.peakOwnBytes ?? 0, found.ownBytes ?? 0) }
  }
  const timer = setInterval(look, lookEveryMs)
  return { seen: () => use, stop: () => clearInterval(timer) }
}

/** The fields of a run that every figure carries. */
export function useFields({ peakBytes, cpuMs }: Use): Use {
  return { ...(peakBytes === undefined ? {} : { peakBytes }), ...(cpuMs === undefined ? {} : { cpuMs }) }
}
