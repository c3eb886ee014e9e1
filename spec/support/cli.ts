import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { projectRoot } from './paths.js'

/** The built program, as package.json names it. */
export const millraceBin = join(projectRoot, (JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as PackageJson).bin.millrace)
interface PackageJson {
  readonly bin: { readonly millrace: string }
}

export interface CliOptions {
  /** Text, bytes or a stream for stdin. Without it stdin is the null device; `open` keeps a pipe open that says nothing. */
  readonly stdin?: string | Uint8Array | Readable | 'open'
  readonly cwd?: string
  /** Added to this process's own variables. */
  readonly env?: Readonly<Record<string, string>>
  /** After this the child is killed and the run is an error. @defaultValue 60000 */
  readonly timeoutMs?: number
  /** Run in place of millrace. */
  readonly program?: string
  /** Arguments for node itself, before the program. */
  readonly nodeArgs?: readonly string[]
}

export interface CliResult {
  /** Exit status, or null if a signal ended the process. */
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  readonly elapsedMs: number
  /** stdout's lines, without the ends. */
  lines(): string[]
  /** stdout's lines, each read as JSON. */
  json<T = Record<string, unknown>>(): T[]
  /** stdout's lines of the form `KEY TAB JSON`. */
  records<T = Record<string, unknown>>(): { readonly key: string; readonly value: T }[]
}

/** Runs `millrace` with these arguments, as a user would, and waits for its end. */
export function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return startCli(args, options).result
}

/** A running `millrace`. Whoever starts one awaits `result`, or calls `kill`. */
export interface RunningCli {
  readonly child: ChildProcess
  readonly result: Promise<CliResult>
  readonly stdoutSoFar: () => string
  readonly stderrSoFar: () => string
  /** Sends a signal to this child only. */
  kill(signal?: NodeJS.Signals): void
  /** Resolves when stdout and stderr together match. Rejects if the process ends first. */
  waitFor(pattern: RegExp): Promise<void>
}

/** Starts `millrace`: for specs that stop or kill it. */
export function startCli(args: readonly string[], options: CliOptions = {}): RunningCli {
  const { nodeArgs = [], program = millraceBin, stdin } = options
  const child = spawn(process.execPath, [...nodeArgs, program, ...args], {
    cwd: options.cwd ?? projectRoot,
    env: { ...process.env, ...options.env },
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  feed(child, stdin)
  const output = { stdout: '', stderr: '' }
  const watchers = new Set<() => void>()
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
      for (const look of watchers) look()
    })
  }
  const result = collectResult(child, output, `millrace ${args.join(' ')}`, options.timeoutMs ?? 60_000)
  return {
    child,
    result,
    stdoutSoFar: () => output.stdout,
    stderrSoFar: () => output.stderr,
    kill: (signal = 'SIGKILL') => void child.kill(signal),
    waitFor: pattern => waitFor(pattern, output, watchers, result),
  }
}

function feed(child: ChildProcess, stdin: CliOptions['stdin']): void {
  child.stdin?.on('error', () => undefined) // a program need not read what it is given
  if (stdin === undefined || stdin === 'open') return
  if (typeof stdin === 'string' || stdin instanceof Uint8Array) child.stdin?.end(stdin)
  else if (child.stdin !== null) stdin.pipe(child.stdin)
}

interface Output {
  readonly stdout: string
  readonly stderr: string
}

function collectResult(child: ChildProcess, output: Output, title: string, timeoutMs: number): Promise<CliResult> {
  const startMs = performance.now()
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`${title} ran longer than ${timeoutMs} ms\nstderr: ${output.stderr.slice(-2000)}`))
    }, timeoutMs)
    child.once('error', reject)
    child.once('close', (status, signal) => {
      clearTimeout(timer)
      resolve(toResult(status, signal, { ...output }, performance.now() - startMs))
    })
  })
}

function toResult(status: number | null, signal: NodeJS.Signals | null, { stdout, stderr }: Output, elapsedMs: number): CliResult {
  const lines = (): string[] => (stdout === '' ? [] : stdout.replace(/\n$/, '').split('\n'))
  return {
    status,
    signal,
    stdout,
    stderr,
    elapsedMs,
    lines,
    json: <T>() => lines().map(line => JSON.parse(line) as T), // the caller knows what the command prints
    records: <T>() =>
      lines().map(line => {
        const tab = line.indexOf('\t')
        return { key: line.slice(0, tab), value: JSON.parse(line.slice(tab + 1)) as T } // as above
      }),
  }
}

function waitFor(pattern: RegExp, output: Output, watchers: Set<() => void>, result: Promise<CliResult>): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (!pattern.test(output.stdout + output.stderr)) return
      watchers.delete(look)
      resolve()
    }
    watchers.add(look)
    look()
    result.then(({ status, stderr }) => reject(new Error(`ended with ${status} before ${pattern} was seen\nstderr: ${stderr.slice(-2000)}`)), reject)
  })
}
