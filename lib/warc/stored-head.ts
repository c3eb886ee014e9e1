import { STATUS_CODES } from 'node:http'
import type { HttpExchange } from '../record/exchange.js'
import { statusOf } from './http-head.js'

/** What a header that no longer fits the stored body is renamed to, as Common Crawl's Nutch and StormCrawler do. */
const hidden = 'X-Crawler-'

/**
 * The response head as the WARC stores it: as received, but that a message of HTTP/2 gets a status line of HTTP/1.1, which readers
 * know, and that fields which speak of a body other than the stored one are kept under `X-Crawler-…`: Transfer-Encoding, since the body
 * is stored without it, and a Content-Length that is not the stored length. A true Content-Length is added where one was renamed.
 */
export function storedResponseHead({ responseHead, body, protocol }: HttpExchange): Buffer {
  const head = latin1(responseHead)
  const status = statusOf(head)
  const lines = head.split('\n')
  const hasNoBody = status === 304 || status === 204
  const wanted = String(body.length)
  let isRenamed = false
  let isLengthTrue = false
  for (const [index, line] of lines.entries()) {
    if (index === 0) continue
    const name = /^(?:transfer-encoding|content-length)(?=[ \t]*:)/i.exec(line)?.[0]
    if (name === undefined) continue
    const isLength = name.length === 'content-length'.length
    const isTrue = isLength && (hasNoBody || line.slice(line.indexOf(':') + 1).trim() === wanted)
    if (isTrue) isLengthTrue = true
    else {
      lines[index] = hidden + line
      isRenamed = true
    }
  }
  if (protocol === 'h2' || /^HTTP\/[23]/i.test(lines[0] ?? '')) lines[0] = `HTTP/1.1 ${statusText(status)}\r`
  if (isRenamed && !isLengthTrue && !hasNoBody) lines.splice(emptyLine(lines), 0, `Content-Length: ${wanted}\r`)
  return endedHead(lines.join('\n'))
}

/** The request head as stored: HTTP/2 in the words of HTTP/1.1. */
export function storedRequestHead({ requestHead }: HttpExchange): Buffer {
  return endedHead(latin1(requestHead).replace(/^([^\r\n]*) HTTP\/[23](?:\.0)?(?=\r?\n|$)/, '$1 HTTP/1.1'))
}

function statusText(status = 200): string {
  return `${status} ${STATUS_CODES[status] ?? ''}`
}

function emptyLine(lines: readonly string[]): number {
  const at = lines.findIndex((line, index) => index > 0 && (line === '' || line === '\r'))
  return at < 0 ? lines.length : at
}

/** A head that was cut off gets the empty line without which the body could not be told from it. */
function endedHead(head: string): Buffer {
  if (/\r?\n\r?\n$/.test(head)) return Buffer.from(head, 'latin1')
  return Buffer.from(`${head.replace(/[\r\n]+$/, '')}\r\n\r\n`, 'latin1')
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
