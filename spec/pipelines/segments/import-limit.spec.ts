import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { listSegments } from '../../../lib/segment/segment.js'
import { collect } from '../../segment/segment-fixtures.js'
import { runCommand } from '../../support/run-command.js'
import { useTempFolders } from '../../support/temp-folder.js'

describe('import of a page that is packed', () => {
  const newFolder = useTempFolders()
  const page = gzipSync(`<title>T</title>${'<p>text</p>'.repeat(100)}`)
  const block = Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n'), page])
  const head = [
    'WARC/1.1',
    'WARC-Type: response',
    'WARC-Record-ID: <urn:uuid:7d3b2c1a-0000-4000-8000-00000000000a>',
    'WARC-Date: 2020-01-02T03:04:05Z',
    'WARC-Target-URI: http://a.example/page',
    'Content-Type: application/http;msgtype=response',
    `Content-Length: ${block.length}`,
  ]

  for (const { limit, truncated } of [
    { limit: 600, truncated: 'length' },
    { limit: 60_000, truncated: undefined },
  ])
    it(`${truncated === undefined ? 'is whole' : 'is truncated'} with http.content.limit ${limit}`, async () => {
      const folder = newFolder()
      const file = join(folder, 'packed.warc')
      writeFileSync(file, Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), block, Buffer.from('\r\n\r\n')]))
      await runCommand(['import', folder, '--warc', file, '-D', `http.content.limit=${limit}`])
      const [segment] = await listSegments(join(folder, 'segments'))
      if (segment === undefined) throw new Error('import made a segment')
      expect((await collect(segment.readOutcomes())).map(outcome => outcome.truncated)).to.deep.equal([truncated])
    })
})
