import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { listSegments } from '../../../lib/segment/segment.js'
import { collect } from '../../segment/segment-fixtures.js'
import { runCommand } from '../../support/run-command.js'
import { useTempFolders } from '../../support/temp-folder.js'

const body = `<title>T</title>${'<p>text</p>'.repeat(20)}`
const whole = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n${body}`

function record(type: string, block: string, number: number, more: readonly string[] = []): string {
  const head = [
    'WARC/1.1',
    `WARC-Type: ${type}`,
    `WARC-Record-ID: <urn:uuid:7d3b2c1a-0000-4000-8000-00000000000${number}>`,
    'WARC-Date: 2020-01-02T03:04:05Z',
    'WARC-Target-URI: http://a.example/long',
    `WARC-Segment-Number: ${number}`,
    ...more,
    `Content-Length: ${block.length}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${block}\r\n\r\n`
}

describe('a WARC record in segments (WARC/1.1 §7)', () => {
  const newFolder = useTempFolders()
  const payloadDigest = `sha1:${createHash('sha1').update(body).digest('hex')}`
  const file = [
    record('response', whole.slice(0, 150), 1, ['Content-Type: application/http;msgtype=response', `WARC-Payload-Digest: ${payloadDigest}`]),
    record('continuation', whole.slice(150), 2, [`WARC-Segment-Total-Length: ${whole.length}`]),
  ].join('')

  function written(): { readonly folder: string; readonly path: string } {
    const folder = newFolder()
    const path = join(folder, 'segmented.warc')
    writeFileSync(path, file)
    return { folder, path }
  }

  it('is not said to have a wrong digest, which is that of the whole', async () => {
    const { status, stdout } = await runCommand(['warc', '--check', written().path])
    expect([status, stdout.trim().split('\n').length]).to.deep.equal([0, 2])
  })

  it('is imported as truncated', async () => {
    const { folder, path } = written()
    await runCommand(['import', folder, '--warc', path])
    const [segment] = await listSegments(join(folder, 'segments'))
    if (segment === undefined) throw new Error('import made a segment')
    const outcomes = await collect(segment.readOutcomes())
    expect(outcomes.map(({ url, truncated }) => [url, truncated])).to.deep.equal([['http://a.example/long', 'length']])
  })
})
