import { deflateSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { runCommand } from '../support/run-command.js'
import { type Route, type SpecServer, startServer } from '../support/server.js'
import { acceptAll, jsonLinesOf } from '../support/small-site.js'
import { useTempFolders } from '../support/temp-folder.js'

/** A page whose link stands between its 550th and 700th byte. */
function pageOf(name: string): Buffer {
  const text = '<p>text</p>'
  return Buffer.from(`<html><title>${name}</title>${text.repeat(50)}<a href="/linked-by/${name}">next</a>${text.repeat(20)}</html>`)
}

/** As browsers read them: the page is whole, whatever is wrong around it. */
const packings: Readonly<Record<string, { readonly coding: string; readonly header?: string; pack(page: Buffer): Buffer }>> = {
  sound: { coding: 'gzip', pack: page => gzipSync(page) },
  'rubbish-behind': { coding: 'gzip', pack: page => Buffer.concat([gzipSync(page), Buffer.from('<!-- cached -->')]) },
  'wrong-checksum': { coding: 'gzip', pack: page => withWrongChecksum(gzipSync(page)) },
  'zlib-named-gzip': { coding: 'gzip', pack: page => deflateSync(page) },
  'gzip-named-deflate': { coding: 'deflate', pack: page => gzipSync(page) },
  'old-name': { coding: 'x-deflate', pack: page => deflateSync(page) },
  'packed-twice': { coding: 'gzip', pack: page => gzipSync(gzipSync(page)) },
  'named-twice': { coding: 'gzip, deflate', pack: page => gzipSync(page) },
  'for-transfer': { coding: 'gzip, chunked', header: 'transfer-encoding', pack: page => gzipSync(page) },
  'not-packed': { coding: 'gzip', pack: page => page },
}

function withWrongChecksum(packed: Buffer): Buffer {
  const copy = Buffer.from(packed)
  copy.writeUInt32LE((copy.readUInt32LE(copy.length - 8) ^ 1) >>> 0, copy.length - 8)
  return copy
}

describe('pages that are packed not quite as they say', function () {
  this.timeout(30_000)
  const newFolder = useTempFolders()
  let server: SpecServer
  before(async () => {
    const routes = Object.entries(packings).map(([name, { coding, header = 'content-encoding', pack }]): [string, Route] => [
      `/${name}`,
      (_request, response) => void response.writeHead(200, { 'content-type': 'text/html', [header]: coding }).end(pack(pageOf(name))),
    ])
    server = await startServer({ routes: Object.fromEntries(routes) })
  })
  after(() => server.close())

  async function linksFound(...steps: readonly (readonly string[])[]): Promise<string[]> {
    const folder = newFolder()
    const seeds = Object.keys(packings).map(name => `${server.origin()}/${name}\n`)
    await runCommand(['inject', folder, '-', ...acceptAll], { stdin: seeds.join('') })
    await runCommand(['generate', folder, ...acceptAll])
    for (const [command = '', ...options] of [...steps, ['updatedb']]) await runCommand([command, folder, ...options, ...acceptAll])
    const records = jsonLinesOf(await runCommand(['readdb', folder, '--dump', '--format', 'json']))
    return records.flatMap(({ url }) => /linked-by\/(.*)/.exec(String(url))?.[1] ?? []).sort()
  }
  const fetch = ['fetch', '--allow-address', 'loopback', '-D', 'fetcher.server.delay=0']

  it('give their links where they are parsed while they are fetched', async () => {
    expect(await linksFound([...fetch, '--parse'])).to.deep.equal(Object.keys(packings).sort())
  })

  it('give the same where a later step parses what is stored', async () => {
    expect(await linksFound(fetch, ['parse'])).to.deep.equal(Object.keys(packings).sort())
  })

  it('are read to the same place where they were cut', async () => {
    const cut = ['-D', 'http.content.limit=600', '-D', 'parser.skip.truncated=false']
    expect(await linksFound([...fetch, ...cut], ['parse', ...cut])).to.deep.equal([])
  })

  it('are left unparsed where only what they unpack to is too long, in one step or two', async () => {
    const cut = ['-D', 'http.content.limit=700']
    expect(await linksFound([...fetch, ...cut, '--parse'])).to.deep.equal([])
    expect(await linksFound([...fetch, ...cut], ['parse', ...cut])).to.deep.equal([])
  })
})
