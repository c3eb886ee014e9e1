import type { Writable } from 'node:stream'
import { pino } from 'pino'
import type { LogFields, Logger } from '../../lib/log/logger.js'

export interface StderrLoggerOptions {
  readonly isJson: boolean
  readonly level: string
  /** @defaultValue stderr of this process */
  readonly stream?: Writable
}

/** Log lines on stderr: `level message key=value …` for people, or pino's JSON. */
export function createStderrLogger({ isJson, level, stream }: StderrLoggerOptions): Logger {
  if (isJson) return pino({ level, base: null }, stream ?? pino.destination({ fd: 2, sync: true }))
  const out = stream ?? process.stderr
  const rank = levels.indexOf(level)
  const write = (name: string) => (fields: LogFields, message: string) => {
    if (levels.indexOf(name) >= rank) out.write(`${name.padEnd(5)} ${message}${fieldsText(fields)}\n`)
  }
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}

const levels = ['debug', 'info', 'warn', 'error']

function fieldsText(fields: LogFields): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}=${typeof value === 'string' && !/[\s"]/.test(value) ? value : JSON.stringify(value)}`)
    .join('')
}
