import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { type DemoAnswer, type DemoPage, type DemoSiteTable, fillDemoText, readDemoSiteTable, renderDemoAnswer } from './demo-pages.js'
import { listenOnLoopback } from './loopback-listener.js'

/** One request as the site saw it. */
export interface DemoRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  /** `performance.now()` at the head of the request. */
  readonly startMs: number
}

export interface DemoSiteOptions {
  /** Names of the hosts to serve. @defaultValue all of the table but `closed` */
  readonly hosts?: readonly string[]
  /** @defaultValue 0, any free one */
  readonly port?: number
  readonly onRequest?: (request: DemoRequest) => void
}

export interface DemoSite {
  readonly port: number
  /** Names of the hosts that answer: all that were asked for, on a machine that has the whole of 127.0.0.0/8. */
  readonly hosts: readonly string[]
  /** Where the crawl of the site begins. */
  readonly seeds: readonly string[]
  readonly requests: readonly DemoRequest[]
  /** `http://ADDRESS:PORT` of a host by name. @throws {RangeError} if the site has no such host */
  origin(name: string): string
  /** Text of the site's data with the names in braces replaced: `{mill}/about.html`. */
  fill(text: string): string
  close(): Promise<void>
}

/** Serves `fixtures/site` on loopback: a page for each thing that a crawler meets, on several hosts and one port.
 *  @throws the system's error if the port is taken */
export async function startDemoSite({ hosts, port = 0, onRequest }: DemoSiteOptions = {}): Promise<DemoSite> {
  const table = readDemoSiteTable()
  const names = hosts ?? Object.keys(table.hosts).filter(name => name !== 'closed')
  const requests: DemoRequest[] = []
  const addressOf = new WeakMap<object, string>()
  const http = createServer((request, response) => {
    const url = `http://${addressOf.get(request.socket)}:${listener.port}${request.url}`
    const seen: DemoRequest = { method: request.method ?? '', url, headers: request.headers, startMs: performance.now() }
    requests.push(seen)
    onRequest?.(seen)
    answerRequest(answers.next(url), request, response, fill).catch(error => response.destroy(error))
  })
  const listener = await listenOnLoopback({
    hosts: names.map(name => addressOfName(table, name)),
    port,
    onConnection(socket, address) {
      addressOf.set(socket, address)
      http.emit('connection', socket)
    },
  })
  const fill = (text: string): string => fillDemoText(text, table.hosts, listener.port)
  const answers = new AnswerSequence(table.pages, fill)
  return {
    port: listener.port,
    hosts: names.filter(name => listener.hosts.includes(addressOfName(table, name))),
    seeds: table.seeds.map(fill),
    requests,
    origin: name => `http://${addressOfName(table, name)}:${listener.port}`,
    fill,
    close: listener.close,
  }
}

function addressOfName(table: DemoSiteTable, name: string): string {
  const address = table.hosts[name]
  if (address === undefined) throw new RangeError(`the demo site has no host ${name}, only ${Object.keys(table.hosts).join(', ')}`)
  return address
}

const notFound: DemoAnswer = { status: 404, body: 'not found' }

/** Which answer comes next for a URL. */
class AnswerSequence {
  readonly #pages: ReadonlyMap<string, DemoPage>
  readonly #counts = new Map<string, number>()

  constructor(pages: readonly DemoPage[], fill: (text: string) => string) {
    this.#pages = new Map(pages.map(page => [fill(page.url), page]))
  }

  next(url: string): DemoAnswer {
    const page = this.#pages.get(url)
    if (page?.answers === undefined) return page ?? notFound
    const count = this.#counts.get(url) ?? 0
    this.#counts.set(url, count + 1)
    return page.answers[Math.min(count, page.answers.length - 1)] ?? notFound
  }
}

async function answerRequest(answer: DemoAnswer, request: IncomingMessage, response: ServerResponse, fill: (text: string) => string): Promise<void> {
  if (answer.behaviour === 'hang') return
  const { headers, body } = renderDemoAnswer(answer, fill)
  if (answer.etag !== undefined && request.headers['if-none-match'] === answer.etag) {
    response.writeHead(304, headers).end()
    return
  }
  if (answer.behaviour === 'slow') await wait(200)
  const saysLength = answer.behaviour === undefined && answer.status !== 204 && answer.status !== 304
  response.writeHead(answer.status ?? 200, saysLength ? { ...headers, 'content-length': body.length } : headers)
  if (request.method === 'HEAD') response.end()
  else await writeBody(answer, body, response)
}

async function writeBody({ behaviour }: DemoAnswer, body: Buffer, response: ServerResponse): Promise<void> {
  if (behaviour === 'endless') return writeForEver(body, response)
  const half = behaviour === 'slow' || behaviour === 'chunked' ? body.length >> 1 : 0
  if (half > 0) response.write(body.subarray(0, half))
  if (behaviour === 'slow') await wait(200)
  response.end(body.subarray(half))
}

/** Writes as fast as the other side reads, until it goes away. */
async function writeForEver(start: Buffer, response: ServerResponse): Promise<void> {
  const endless = function* (): Generator<Buffer> {
    yield start
    for (;;) yield padding
  }
  await pipeline(endless, response).catch(() => undefined) // the only end there is: the reader has left
}

const padding = Buffer.alloc(16 * 1024, 'and so on. ')
