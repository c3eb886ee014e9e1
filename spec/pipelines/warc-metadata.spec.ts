import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { runCommand } from '../support/run-command.js'
import { acceptAll, linesOf, useSmallSite } from '../support/small-site.js'
import { useTempFolders } from '../support/temp-folder.js'
import { type WitnessedRecord, witnessRecords } from '../warc/warc-witness.js'

describe('millrace.warc.metadata', function () {
  this.timeout(30_000)
  const newFolder = useTempFolders()
  const site = useSmallSite()

  const options = ['--allow-address', 'loopback', '-D', 'fetcher.server.delay=0', ...acceptAll]
  const withMetadata = ['-D', 'millrace.warc.metadata=true']
  const urlOf = (path: string): string => `${site.server.origin()}${path}`

  async function fetched(...more: readonly string[]): Promise<{ readonly folder: string; readonly records: readonly WitnessedRecord[] }> {
    const folder = newFolder()
    await runCommand(['inject', folder, '-', ...acceptAll], { stdin: `${urlOf('/')}\n${urlOf('/missing')}\n` })
    const [segment = ''] = linesOf(await runCommand(['generate', folder, ...acceptAll]))
    await runCommand(['fetch', folder, '--parse', ...options, ...more])
    return { folder, records: await witnessRecords(readFileSync(join(folder, 'segments', segment, 'content-00000.warc.gz'))) }
  }
  const metadataOf = (records: readonly WitnessedRecord[]): WitnessedRecord[] => records.filter(({ type }) => type === 'metadata')

  it('is off: no metadata records', async () => expect(metadataOf((await fetched()).records)).to.deep.equal([]))

  it('writes one beside each answer, which goes along in an export', async () => {
    const { folder, records } = await fetched(...withMetadata)
    const out = join(newFolder(), 'export')
    const { file } = (await runCommand(['warc', folder, '--out', out])).json<{ file: string }>()
    for (const all of [records, await witnessRecords(readFileSync(file))]) {
      const found = metadataOf(all)
      expect(found.map(({ uri }) => uri)).to.have.members([urlOf('/'), urlOf('/missing')])
      for (const { uri, payload, fields } of found) {
        const answer = all.find(({ type, uri: of }) => type === 'response' && of === uri)
        expect(fields).to.include({ 'Content-Type': 'application/warc-fields', 'WARC-Concurrent-To': answer?.fields['WARC-Record-ID'] ?? '' })
        expect(payload.toString()).to.match(uri === urlOf('/') ? /^fetchTimeMs: \d+\r\ncharset-detected: \S+\r\n$/ : /^fetchTimeMs: \d+\r\n$/)
      }
    }
    expect((await runCommand(['warc', '--check', file])).status).to.equal(0)
  })

  it('is heard by stage fetch --warc', async () => {
    const folder = newFolder()
    await runCommand(['stage', 'fetch', '--warc', folder, ...options, ...withMetadata], { stdin: `${urlOf('/')}\n` })
    const records = await witnessRecords(readFileSync(join(folder, 'content-00000.warc.gz')))
    expect(metadataOf(records).map(({ uri }) => uri)).to.deep.equal([urlOf('/')])
  })
})
