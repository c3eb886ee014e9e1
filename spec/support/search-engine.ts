import type { IncomingMessage, ServerResponse } from 'node:http'
import { type SpecServer, startServer } from './server.js'

/** How the engine answers a bulk request in place of taking it. */
export type Misbehaviour =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | 'reset'
  | 'silence'
  /** Takes the request, and answers with something else. */
  | { readonly answer: string }

export interface EngineOptions {
  /** For the first requests, in order; undefined takes one. */
  readonly script?: readonly (Misbehaviour | undefined)[]
  /** Status for one document at its nth try, counted from 1; undefined takes it. */
  readonly itemStatus?: (id: string, tries: number) => number | undefined
  readonly maxBodyBytes?: number
  /** Called when a request has come, before it is answered. */
  readonly onRequest?: (count: number) => void | Promise<void>
}

/** The bulk part of a search engine, on loopback: documents by id, and a log of what was sent. */
export interface SearchEngine {
  /** Address of the index. */
  readonly url: string
  readonly documents: ReadonlyMap<string, Record<string, unknown>>
  /** The actions of each request that came: `index ID`, `delete ID`. */
  readonly requests: readonly (readonly string[])[]
  readonly server: SpecServer
  /** Requests that were under way at once, at most. */
  readonly atOnce: () => number
  close(): Promise<void>
}

interface Action {
  readonly name: 'index' | 'delete'
  readonly id: string
  readonly fields?: Record<string, unknown>
}

export async function startSearchEngine({ script = [], itemStatus, maxBodyBytes = Infinity, onRequest }: EngineOptions = {}): Promise<SearchEngine> {
  const documents = new Map<string, Record<string, unknown>>()
  const requests: string[][] = []
  const tries = new Map<string, number>()
  let [current, most] = [0, 0]

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    most = Math.max(most, ++current)
    const body = Buffer.concat(await request.toArray()).toString()
    const actions = readActions(body)
    requests.push(actions.map(({ name, id }) => `${name} ${id}`))
    await onRequest?.(requests.length)
    current--
    const misbehaviour = body.length > maxBodyBytes ? { status: 413 } : script[requests.length - 1]
    if (misbehaviour === 'silence') return
    if (misbehaviour === 'reset') return void request.socket.destroy()
    if (misbehaviour !== undefined && 'status' in misbehaviour) {
      response.writeHead(misbehaviour.status, misbehaviour.headers ?? {}).end(misbehaviour.body ?? '')
      return
    }
    const items = actions.map(take)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(misbehaviour === undefined ? JSON.stringify({ errors: items.some(isError), items }) : misbehaviour.answer)
  }

  function take({ name, id, fields }: Action) {
    const count = (tries.get(id) ?? 0) + 1
    tries.set(id, count)
    const refused = itemStatus?.(id, count)
    if (refused !== undefined) return { [name]: { _id: id, status: refused, error: { type: 'spec_exception', reason: `no ${id}` } } }
    const wasThere = documents.has(id)
    if (fields === undefined) documents.delete(id)
    else documents.set(id, fields)
    return { [name]: { _id: id, status: wasThere ? 200 : name === 'delete' ? 404 : 201 } }
  }

  const server = await startServer({ routes: { '/pages/_bulk': answer } })
  return { url: `${server.origin()}/pages`, documents, requests, server, atOnce: () => most, close: () => server.close() }
}

function isError(item: Readonly<Record<string, object>>): boolean {
  return Object.values(item).some(result => 'error' in result)
}

/** The bulk format as Elasticsearch documents it: an action line, behind `index` a line with the document; the last line ends too. */
function readActions(body: string): Action[] {
  if (!body.endsWith('\n')) throw new Error('a bulk request ends with a line end')
  const lines = body.slice(0, -1).split('\n')
  const actions: Action[] = []
  for (let at = 0; at < lines.length; ) {
    const action = JSON.parse(lines[at++] ?? '') as { index?: { _id: string }; delete?: { _id: string } } // what the format allows
    if (action.delete !== undefined) actions.push({ name: 'delete', id: action.delete._id })
    else if (action.index !== undefined)
      actions.push({ name: 'index', id: action.index._id, fields: JSON.parse(lines[at++] ?? '') as Record<string, unknown> }) // a document is an object
    else throw new Error(`no action: ${lines[at - 1]}`)
  }
  return actions
}
