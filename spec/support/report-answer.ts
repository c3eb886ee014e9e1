import type { ReportPart, ReportRoute } from './reports.js'

export const reportHosts = { A: '127.0.0.1', B: '127.0.0.2', C: '127.0.0.3' } as const

/** What a route sends, ready for the wire. */
export interface WireAnswer {
  readonly bytes: Buffer
  /** Where the body begins in `bytes`: offsets of `split:` count from there. */
  readonly bodyStart: number
  /** Whether the connection may take another request afterwards. */
  readonly keepsAlive: boolean
}

/** Puts the origins of the hosts and the port where a script names them. */
export function fillIn(text: string, port: number): string {
  return text
    .replace(/\{([ABC])\}/g, (_, letter: keyof typeof reportHosts) => `http://${reportHosts[letter]}:${port}`)
    .replaceAll('{PORT}', String(port))
}

/** The answer of `route` to a request of this method. */
export function wireAnswer(route: ReportRoute, port: number, method: string): WireAnswer {
  const behaviour = route.behaviour ?? ''
  if (route.raw !== undefined) return { bytes: Buffer.from(fillIn(route.raw, port), 'latin1'), bodyStart: 0, keepsAlive: behaviour.includes('keep') }
  if (route.rawParts !== undefined) return { bytes: joinParts(route.rawParts, port, 'latin1'), bodyStart: 0, keepsAlive: false }
  const body = bodyOf(route, port)
  const head = headOf(route, port, body.length)
  return {
    bytes: method === 'HEAD' ? head : Buffer.concat([head, body]),
    bodyStart: head.length,
    keepsAlive: !/close|no-length/.test(behaviour),
  }
}

function headOf({ status = 200, headers = [], behaviour = '' }: ReportRoute, port: number, bodyBytes: number): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${fillIn(value, port)}`)
  const names = new Set(headers.map(([name]) => name.toLowerCase()))
  const saysLength = names.has('content-length') || names.has('transfer-encoding')
  if (!saysLength && status !== 304 && !/^slow|close-early|no-length/.test(behaviour)) lines.push(`Content-Length: ${bodyBytes}`)
  return Buffer.from([`HTTP/1.1 ${status} X`, ...lines, '', ''].join('\r\n'), 'latin1')
}

function bodyOf({ body = '', bodyBase64, parts }: ReportRoute, port: number): Buffer {
  if (bodyBase64 !== undefined) return Buffer.from(bodyBase64, 'base64')
  return parts === undefined ? Buffer.from(fillIn(body, port)) : joinParts(parts, port, 'utf8')
}

function joinParts(parts: readonly ReportPart[], port: number, encoding: 'latin1' | 'utf8'): Buffer {
  return Buffer.concat(
    parts.map(({ text, times = 1, latin1 = false }) => Buffer.from(fillIn(text, port).repeat(times), latin1 ? 'latin1' : encoding)),
  )
}
