import { expect } from 'chai'
import { configWith } from '../../lib/config/resolve-config.js'
import { isCrawlError } from '../../lib/errors/crawl-error.js'
import { bulkTarget } from '../../lib/index/bulk-request.js'
import { BulkWriter } from '../../lib/index/bulk-writer.js'
import { Counters } from '../../lib/log/counters.js'
import { silentLogger } from '../../lib/log/logger.js'
import { type EngineOptions, type SearchEngine, startSearchEngine } from '../support/search-engine.js'
import { failureOf } from '../support/stream-probe.js'

describe('BulkWriter', () => {
  let engine: SearchEngine
  afterEach(() => engine.close())

  interface Run {
    readonly counters: Counters
    readonly waits: number[]
    readonly warnings: string[]
    readonly sent: string[]
    readonly failure: unknown
  }

  /** Sends documents of these ids; `-id` deletes. */
  async function send(ids: readonly string[], options: EngineOptions, values: Record<string, unknown> = {}, path = ''): Promise<Run> {
    engine = await startSearchEngine(options)
    const counters = new Counters()
    const [waits, warnings, sent]: [number[], string[], string[]] = [[], [], []]
    const writer = new BulkWriter({
      target: bulkTarget(engine.url + path, 'user:pass'),
      config: configWith({ 'index.bulk.timeout': 1, 'index.bulk.retries': 2, ...values }).index,
      log: {
        ...silentLogger,
        warn: (fields, message) => void warnings.push(`${message} ${fields.url ?? ''} ${fields.status ?? ''} ${fields.reason}`),
      },
      counters,
      wait: async ms => void waits.push(ms),
      onSent: async position => void sent.push(position),
    })
    const failure = await failureOf(
      (async () => {
        for (const id of ids) {
          const change = id.startsWith('-')
            ? { action: 'delete' as const, id: id.slice(1) }
            : { action: 'add' as const, document: { id, fields: { id, f: 'ä' } } }
          await writer.add(change, `key of ${id}`)
        }
        await writer.flush()
      })(),
    )
    return { counters, waits, warnings, sent, failure }
  }

  it('sends batches of so many documents, and says how far it came', async () => {
    const { counters, sent, failure } = await send(['a', 'b', '-c', 'd', 'e'], {}, { 'index.bulk.documents': 2 })
    expect(failure).to.equal(undefined)
    expect(engine.requests).to.deep.equal([['index a', 'index b'], ['delete c', 'index d'], ['index e']])
    expect(sent).to.deep.equal(['key of b', 'key of d', 'key of e'])
    expect(counters.toJSON()).to.deep.equal({ 'index/added': 4, 'index/deleted': 1 })
    expect(engine.documents.get('a')).to.deep.equal({ id: 'a', f: 'ä' })
    expect(engine.server.requests[0]?.headers).to.include({ 'content-type': 'application/x-ndjson', authorization: 'Basic dXNlcjpwYXNz' })
  })

  it('sends batches of so many bytes; a larger document goes alone', async () => {
    // The lines of each are 25 and 20 bytes long, but for the second's.
    await send(['a', 'b'.repeat(50), 'c', 'd'], {}, { 'index.bulk.bytes': 90 })
    expect(engine.requests.map(actions => actions.length)).to.deep.equal([1, 1, 2])
  })

  it('sends nothing where there is nothing, and one request at a time', async () => {
    await send([], {})
    expect(engine.requests).to.deep.equal([])
    await engine.close()
    await send(['a', 'b', 'c'], {}, { 'index.bulk.documents': 1 })
    expect(engine.atOnce()).to.equal(1)
  })

  for (const { what, script, waits } of [
    { what: '429', script: [{ status: 429 }], waits: [1000] },
    { what: '503 twice', script: [{ status: 503 }, { status: 503 }], waits: [1000, 2000] },
    { what: '429 with a longer Retry-After', script: [{ status: 429, headers: { 'retry-after': '7' } }], waits: [7000] },
    { what: '429 with a shorter Retry-After', script: [{ status: 429, headers: { 'retry-after': '0' } }], waits: [1000] },
    { what: 'a Retry-After of days', script: [{ status: 503, headers: { 'retry-after': '99999' } }], waits: [300_000] },
    { what: 'a connection that is reset', script: ['reset' as const], waits: [1000] },
    { what: 'no answer within the time', script: ['silence' as const], waits: [1000] },
    { what: 'an answer that is no JSON', script: [{ answer: '<html>' }], waits: [1000] },
    { what: 'an answer for fewer documents', script: [{ answer: '{"items":[]}' }], waits: [1000] },
  ])
    it(`sends again after ${what}`, async () => {
      const run = await send(['a', 'b'], { script })
      expect(run.failure).to.equal(undefined)
      expect(run.waits).to.deep.equal(waits)
      expect(engine.requests).to.have.length(1 + waits.length)
      expect([...engine.documents.keys()]).to.deep.equal(['a', 'b'])
      expect(run.counters.toJSON()).to.deep.equal({ 'index/added': 2, 'index/bulk_retries': waits.length })
    })

  it('gives up after so many tries, and says why; what was sent before stays', async () => {
    const down = { status: 503 }
    const { failure, sent, counters } = await send(['a', 'b'], { script: [undefined, down, down, down] }, { 'index.bulk.documents': 1 })
    expect(failure).to.satisfy((error: unknown) => isCrawlError(error, 'IO_FAILED'))
    expect(failure).to.have.property('message').that.contains(`${engine.url}/_bulk: status 503`)
    expect(sent).to.deep.equal(['key of a'])
    expect(engine.requests).to.have.length(4)
    expect(counters.get('index/added')).to.equal(1)
  })

  it('does not try again what that would not change', async () => {
    const { failure, waits } = await send(['a'], { script: [{ status: 401, body: 'who are you' }] })
    expect(waits).to.deep.equal([])
    expect(failure).to.have.property('message', `${engine.url}/_bulk: status 401: who are you`)
  })

  it('tries again only the documents that were not taken for now, and names those that are refused', async () => {
    const itemStatus = (id: string, tries: number): number | undefined => (id === 'bad' ? 400 : id === 'busy' && tries < 3 ? 429 : undefined)
    const { counters, warnings, failure } = await send(['a', 'bad', 'busy', '-none'], { itemStatus })
    expect(failure).to.equal(undefined)
    expect(engine.requests).to.deep.equal([['index a', 'index bad', 'index busy', 'delete none'], ['index busy'], ['index busy']])
    expect(counters.toJSON()).to.deep.equal({ 'index/added': 2, 'index/bulk_retries': 2, 'index/deleted': 1, 'index/refused': 1 })
    expect(warnings).to.deep.equal(['document was refused bad 400 spec_exception: no bad'])
  })

  it('refuses a document that is never taken', async () => {
    const { counters, failure } = await send(['a', 'busy'], { itemStatus: id => (id === 'busy' ? 503 : undefined) })
    expect(failure).to.equal(undefined)
    expect(engine.requests).to.have.length(3)
    expect(counters.toJSON()).to.deep.equal({ 'index/added': 1, 'index/bulk_retries': 2, 'index/refused': 1 })
  })

  it('halves a request that is too large for the engine', async () => {
    const { counters, warnings } = await send(['a', 'b', 'c', 'd', 'long'.repeat(30)], { maxBodyBytes: 110 })
    expect([...engine.documents.keys()]).to.deep.equal(['a', 'b', 'c', 'd'])
    expect(counters.toJSON()).to.deep.equal({ 'index/added': 4, 'index/refused': 1 })
    expect(warnings).to.deep.equal([`document was refused ${'long'.repeat(30)} 413 too large for the engine`])
  })

  it('hashes an id that is longer than engines take', async () => {
    const id = `http://a.test/${'x'.repeat(600)}`
    await send([id, `-${id}`], {}, { 'index.bulk.documents': 1 })
    const [[added], [deleted]] = engine.requests as [[string], [string]] // one action each, as sent
    expect(added.replace('index ', 'delete ')).to.equal(deleted)
    expect(added).to.match(/^index sha256:[0-9a-f]{64}$/)
  })

  it('keeps user and password of an address to itself', async () => {
    engine = await startSearchEngine()
    expect(bulkTarget('http://me:p%40ss@host:9200/pages/')).to.deep.equal({
      url: 'http://host:9200/pages/_bulk',
      authorization: `Basic ${btoa('me:p@ss')}`,
    })
    for (const address of ['host:9200/pages', 'http://host:9200', 'ftp://host/pages', 'pages'])
      expect(() => bulkTarget(address))
        .to.throw()
        .that.satisfies((error: unknown) => isCrawlError(error, 'USAGE'))
  })
})
