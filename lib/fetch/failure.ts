import { isCrawlError, messageOf, systemCodeOf } from '../errors/crawl-error.js'

/** Why a request got no usable answer: a counter name. */
export type FailureClass = 'dns' | 'connect' | 'tls' | 'timeout' | 'disconnect' | 'protocol' | 'guard' | 'proxy' | 'aborted'

/** A request that failed, with its class and one line for people. */
export class FetchFailure extends Error {
  override readonly name = 'FetchFailure'
  constructor(
    readonly failureClass: FailureClass,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message.trim().replace(/\s*[\r\n]+\s*/g, ' '), options) // OpenSSL's end with a line end
  }
}

const classesByCode: Readonly<Record<string, FailureClass>> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  ENODATA: 'dns',
  ETIMEOUT: 'dns',
  ESERVFAIL: 'dns',
  ECONNREFUSED: 'connect',
  EHOSTUNREACH: 'connect',
  ENETUNREACH: 'connect',
  EADDRNOTAVAIL: 'connect',
  EACCES: 'connect',
  ETIMEDOUT: 'timeout',
  ECONNRESET: 'disconnect',
  EPIPE: 'disconnect',
  UND_ERR_SOCKET: 'disconnect',
  UND_ERR_CLOSED: 'disconnect',
  UND_ERR_DESTROYED: 'disconnect',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'disconnect',
  EPROTO: 'tls',
}

const words: Readonly<Record<string, string>> = {
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host name lookup failed for now',
  ETIMEOUT: 'name server did not answer',
  ESERVFAIL: 'name server failed',
  ECONNREFUSED: 'connection refused',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'connection timed out',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed',
}

/** Anything thrown by sockets, TLS, the resolver, the guard or undici, as a failure with its class. */
export function toFailure(error: unknown): FetchFailure {
  if (error instanceof FetchFailure) return error
  if (isCrawlError(error, 'ADDRESS_DENIED')) return new FetchFailure('guard', error.message, { cause: error })
  const inner = error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error // one error for each address tried
  const code = systemCodeOf(inner) ?? ''
  const failureClass = classesByCode[code] ?? (isTlsCode(code) ? 'tls' : 'protocol')
  const said = words[code] === undefined ? messageOf(inner) : `${words[code]} (${messageOf(inner)})`
  return new FetchFailure(failureClass, failureClass === 'tls' ? `TLS: ${said}` : said, { cause: error })
}

function isTlsCode(code: string): boolean {
  return /^(?:ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|UNABLE_TO|DEPTH_ZERO|HOSTNAME_MISMATCH|INVALID_CA|CRL_)/.test(code)
}
