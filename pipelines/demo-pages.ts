import { readFileSync } from 'node:fs'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'

/** An answer as `fixtures/site/pages.json` writes it. With `title` the body is an HTML page made of the parts that follow it. */
export interface DemoAnswer {
  /** @defaultValue 200 */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly title?: string
  /** Markup inside head. */
  readonly head?: string
  readonly text?: string
  /** One paragraph with a link for each. */
  readonly links?: readonly string[]
  /** Markup at the end. */
  readonly more?: string
  /** The body as it is; several lines as an array. */
  readonly body?: string | readonly string[]
  /** The body's bytes. */
  readonly base64?: string
  /** How `body` becomes bytes. @defaultValue utf8 */
  readonly encoding?: 'utf8' | 'latin1'
  readonly compress?: keyof typeof compressors
  /** Sent as ETag; a request that names it in If-None-Match is answered 304. */
  readonly etag?: string
  readonly behaviour?: DemoBehaviour
}

/** chunked: no Content-Length; slow: 200 ms before the head and again in the body; huge: 2 MiB more; endless: never ends; hang: never answers. */
export type DemoBehaviour = 'chunked' | 'slow' | 'huge' | 'endless' | 'hang'

export interface DemoPage extends DemoAnswer {
  /** With the host's name in braces: `{mill}/about.html`. */
  readonly url: string
  /** Answers to the first, second … request; the last one goes on. */
  readonly answers?: readonly DemoAnswer[]
}

/** The data of the demo site. */
export interface DemoSiteTable {
  /** Address by name. */
  readonly hosts: Readonly<Record<string, string>>
  readonly seeds: readonly string[]
  readonly pages: readonly DemoPage[]
}

const compressors = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync }
const hugeBytes = 2 * 1024 * 1024
const longName = 'long'.repeat(1100)

/** The table that stands in the package. */
export function readDemoSiteTable(): DemoSiteTable {
  const text = readFileSync(new URL('../../fixtures/site/pages.json', import.meta.url), 'utf8')
  return JSON.parse(text) as DemoSiteTable // a file of this package, of this form
}

/** Puts origins (`{mill}`), the port (`{port}`) and a name of 4,400 characters (`{long}`) where the table names them. */
export function fillDemoText(text: string, hosts: Readonly<Record<string, string>>, port: number): string {
  return text.replace(/\{([a-z]+)\}/g, (whole, name: string) => {
    if (name === 'port') return String(port)
    if (name === 'long') return longName
    return Object.hasOwn(hosts, name) ? `http://${hosts[name]}:${port}` : whole
  })
}

/** Body and headers of an answer, with Content-Encoding put on. `fill` replaces the names in braces. */
export function renderDemoAnswer(answer: DemoAnswer, fill: (text: string) => string): { headers: Record<string, string>; body: Buffer } {
  const plain = bodyOf(answer, fill)
  const headers: Record<string, string> = answer.title === undefined ? {} : { 'content-type': 'text/html; charset=utf-8' }
  for (const [name, value] of Object.entries(answer.headers ?? {})) headers[name] = fill(value)
  if (answer.etag !== undefined) headers.etag = answer.etag
  if (answer.compress === undefined) return { headers, body: plain }
  headers['content-encoding'] = answer.compress
  return { headers, body: compressors[answer.compress](plain) }
}

function bodyOf(answer: DemoAnswer, fill: (text: string) => string): Buffer {
  if (answer.base64 !== undefined) return Buffer.from(answer.base64, 'base64')
  const text = answer.title === undefined ? rawText(answer.body) : pageText(answer.title, answer)
  const bytes = Buffer.from(fill(text), answer.encoding ?? 'utf8')
  return answer.behaviour === 'huge' ? Buffer.concat([bytes, Buffer.alloc(hugeBytes, 'long page. ')]) : bytes
}

function rawText(body: DemoAnswer['body'] = ''): string {
  return typeof body === 'string' ? body : body.join('\n')
}

function pageText(title: string, { head = '', text = '', links = [], more = '' }: DemoAnswer): string {
  const list = links.map(href => `<p><a href="${href}">${linkText(href)}</a></p>`).join('\n')
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title>${head}</head>
<body><h1>${title}</h1><p>${text}</p>
${list}${more}
</body></html>
`
}

function linkText(href: string): string {
  return href.length > 60 ? 'a long name' : href
}
