import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { listSegments } from '../../../lib/segment/segment.js'
import { runCommand } from '../../support/run-command.js'
import { jsonLinesOf } from '../../support/small-site.js'
import { useTempFolders } from '../../support/temp-folder.js'

const block = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>T</title><a href="/linked">l</a>'

/** A WARC file whose record head has these line ends. */
function warcFile(lineEnd: string): string {
  const head = [
    'WARC/1.0',
    'WARC-Type: response',
    'WARC-Record-ID: <urn:uuid:7d3b2c1a-0000-4000-8000-000000000001>',
    'WARC-Date: 2020-01-02T03:04:05Z',
    'WARC-Target-URI: http://a.example/page',
    'Content-Type: application/http; msgtype=response',
    `Content-Length: ${block.length}`,
  ]
  return `${head.join(lineEnd)}${lineEnd}${lineEnd}${block}${lineEnd}${lineEnd}`
}

describe('import of a WARC file whose heads have bare line feeds', () => {
  const newFolder = useTempFolders()

  for (const [name, lineEnd] of [
    ['as the standard has them', '\r\n'],
    ['as some writers do', '\n'],
  ] as const)
    it(`gives pages that can be parsed: ${name}`, async () => {
      const folder = newFolder()
      const file = join(folder, 'made-elsewhere.warc')
      writeFileSync(file, warcFile(lineEnd))
      for (const command of [['import', '--warc', file], ['parse'], ['updatedb']]) {
        const [word = '', ...options] = command
        expect((await runCommand([word, folder, ...options])).status, word).to.equal(0)
      }
      const [segment] = await listSegments(join(folder, 'segments'))
      if (segment === undefined) throw new Error('import made a segment')
      expect(gunzipSync(readFileSync(segment.pathOf('content-00000.warc.gz'))).toString('latin1'), 'as stored').not.to.match(/[^\r]\n/)
      const records = jsonLinesOf(await runCommand(['readdb', folder, '--dump', '--format', 'json']))
      expect(records.map(({ url, statusName }) => [url, statusName])).to.deep.equal([
        ['http://a.example/linked', 'db_unfetched'],
        ['http://a.example/page', 'db_fetched'],
      ])
    })
})
