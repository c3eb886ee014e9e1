import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { headerValueLike } from '../../lib/fetch/header-list.js'
import type { HttpAnswer } from '../../lib/fetch/http-result.js'
import { codingFor } from '../../lib/stream/unpack/codings.js'
import { decodeContent } from '../../lib/stream/unpack/content-decoding.js'
import { describeCorpus, readCorpus } from '../support/corpus.js'
import { setUpFetch } from './fetch-setup.js'
import { zstdDecompress } from './zstd.js'

interface RawCase {
  readonly id: string
  readonly name: string
  readonly path: string
  readonly responseBase64: string
  readonly expected: {
    readonly status: number
    readonly body?: string
    readonly bodyLength?: number
    readonly truncated?: boolean
    readonly requestTarget?: string
    readonly rawStatusLine?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly headerContains?: Readonly<Record<string, string>>
  }
}

/** Content limits that the cases of Nutch's TestResponse are run with. */
const limits: Readonly<Record<string, number>> = { 'gzip-65k': 65_536, 'no-limit-128k': -1 }

describeCorpus('raw answers of the HTTP corpus', corpus => {
  let server: Server | undefined
  afterEach(() => server?.close())

  for (const { id, name, path, responseBase64, expected } of readCorpus<RawCase>('http/raw-responses.json')?.cases ?? []) {
    it(`${id}: ${name}`, async () => {
      let target = ''
      server = createServer(socket =>
        socket
          .on('error', () => undefined)
          .once('data', request => {
            target = request.toString('latin1').split(' ')[1] ?? ''
            socket.end(Buffer.from(responseBase64, 'base64'))
          }),
      )
      const port = await listening(server)
      const { client } = setUpFetch({ 'http.content.limit': limits[name] ?? 1_048_576 })
      const answer = (await client.get({ url: new URL(path, `http://127.0.0.1:${port}`), kind: 'page', headers: [] })) as HttpAnswer
      client.close()
      expect(answer.isAnswer, JSON.stringify(answer)).to.equal(true)
      const payload = Buffer.from(answer.exchange.payload)
      expect(answer.status).to.equal(expected.status)
      if (expected.body !== undefined) expect(payload.toString()).to.equal(expected.body)
      if (expected.bodyLength !== undefined) expect(payload.length).to.equal(expected.bodyLength)
      if (expected.truncated !== undefined) expect(answer.truncated !== undefined).to.equal(expected.truncated)
      if (expected.requestTarget !== undefined) expect(target).to.equal(expected.requestTarget)
      if (expected.rawStatusLine !== undefined)
        expect(Buffer.from(answer.exchange.responseHead).toString()).to.match(new RegExp(`^${expected.rawStatusLine}\r\n`))
      for (const [field, value] of Object.entries(expected.headers ?? {}))
        expect(headerValueLike(answer.headers, field.toLowerCase())).to.equal(value)
      for (const [field, value] of Object.entries(expected.headerContains ?? {}))
        expect(headerValueLike(answer.headers, field.toLowerCase())).to.include(value)
    })
  }

  const bounds = { limits: { limitBytes: 1_048_576, maxRatio: 1000 } }
  const packed = (file: string) => readFileSync(join(corpus, 'http', 'compressed', file))

  // Two savings of one page, three bytes apart.
  for (const codings of [
    { 'html-br.bin': 'br', 'html-gzip.bin': 'gzip', 'html-gzip-deflate.bin': 'gzip, deflate', 'html-gzip-deflate-gzip.bin': 'gzip, deflate, gzip' },
    { 'html-rawdeflate.bin': 'deflate', 'html-zlibdeflate.bin': 'deflate' },
  ])
    it(`unpacks ${Object.keys(codings).join(', ')} to the same bytes`, async () => {
      const pages = new Set<string>()
      for (const [file, coding] of Object.entries(codings)) {
        const { payload, truncated } = await decodeContent(packed(file), coding, bounds)
        expect(truncated, file).to.equal(undefined)
        pages.add(payload.toString())
      }
      expect(pages.size).to.equal(1)
      expect([...pages][0]).to.match(/^<!doctype html>[\s\S]*<\/html>\s*$/i)
    })

  it('unpacks zstd where the runtime can', async function unpackZstd() {
    const files = ['html-zstd-static-content-size.bin', 'html-zstd-streaming-no-content-size.bin']
    if (!zstdDecompress) this.skip()
    for (const file of files) expect((await decodeContent(packed(file), 'zstd', bounds)).payload.toString()).to.match(/<html|<!doctype/i)
  })

  it('leaves zstd alone where the runtime cannot', async function leaveZstd() {
    if (zstdDecompress) this.skip()
    const bytes = packed('html-zstd-static-content-size.bin')
    expect(codingFor('zstd', bytes)).to.equal(undefined)
    expect((await decodeContent(bytes, 'zstd', bounds)).payload).to.equal(bytes)
  })

  it('keeps what can be read of gzip that breaks off', async () => {
    const { payload, truncated } = await decodeContent(packed('unexpected-eof.gz'), 'gzip', bounds)
    expect(payload.toString('latin1')).to.equal(packed('unexpected-eof-output.txt').toString()) // kept as the bytes read as Latin-1
    expect(truncated).to.equal('disconnect')
    for (const file of ['truncated-crc-error.gz', 'truncated-crc-error-short.gz'])
      expect((await decodeContent(packed(file), 'gzip', bounds)).payload.length, file).to.be.above(0)
  })
})

function listening(server: Server): Promise<number> {
  return new Promise(resolve => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
}
