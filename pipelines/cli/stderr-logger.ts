import { createRequire } from 'node:module'
import type { Writable } from 'node:stream'
import type { LogFields, Logger } from '../../lib/log/logger.js'

export interface StderrLoggerOptions {
  readonly isJson: boolean
  readonly level: string
  /** @defaultValue stderr of this process */
  readonly stream?: Writable
}

/** Log lines on stderr: `level message key=value …` for people, or pino's JSON. */
export function createStderrLogger({ isJson, level, stream }: StderrLoggerOptions): Logger {
  if (isJson) return jsonLogger(level, stream)
  const out = stream ?? process.stderr
  const rank = levels.indexOf(level)
  const write = (name: string) => (fields: LogFields, message: string) => {
    if (levels.indexOf(name) >= rank) out.write(`${name.padEnd(5)} ${message}${fieldsText(fields)}\n`)
  }
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}

/** Loads pino, which commands that write for people do not need. */
function jsonLogger(level: string, stream: Writable | undefined): Logger {
  const { pino } = createRequire(import.meta.url)('pino') as typeof import('pino') // the module's own types
  return pino({ level, base: null }, stream ?? pino.destination({ fd: 2, sync: true }))
}

const levels = ['debug', 'info', 'warn', 'error']

function fieldsText(fields: LogFields): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}=${typeof value === 'string' && !/[\s"]/.test(value) ? value : JSON.stringify(value)}`)
    .join('')
}
