import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { describeCorpus } from '../../support/corpus.js'
import { runCommand } from '../../support/run-command.js'

/** Files of the corpus in which nothing is wrong; all others have a fault, by hand or by the libraries that made them. */
const sound = [
  'fastwarc-block-sized-records.warc.gz',
  'jwarc-cc.warc.gz',
  'jwarc-gzip_extra_sl.warc.gz',
  'jwarc-std-warcinfo-0.warc',
  'own-folded-header.warc',
  'own-good.warc',
  'own-lf-only.warc',
  'own-two-members.warc.gz',
  'own-utf8-header.warc',
  'tika-testWARC_multiple.warc',
  'tika-testWARC_multiple.warc.gz',
  'warcio-example-iana.org-chunked.warc',
  'warcio-example-resource.warc.gz',
  'warcio-example-wget-bad-target-uri.warc.gz',
  'warcio-example.arc.gz',
  'warcio-example.warc',
  'warcio-example.warc.gz',
  'warcio-post-test.warc.gz',
  'warciojs-example-resource.warc.gz',
  'warciojs-example-url-agnostic-revisit.warc.gz',
  'warciojs-post-test-more.warc',
  'warciojs-redirect.warc',
]

interface Checked {
  readonly type: string
  readonly offset: number
  readonly length: number
  readonly date: string
  readonly digestOk: boolean | null
  readonly error: string | null
}

function recordsOf(stdout: string): (Checked & { key: string })[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map(line => {
      const tab = line.indexOf('\t')
      return { key: line.slice(0, tab), ...(JSON.parse(line.slice(tab + 1)) as Checked) } // what the command's contract says
    })
}

describeCorpus('warc --check', folder => {
  const files = join(folder, 'warc', 'files')
  for (const name of readdirSync(files))
    it(`exits ${sound.includes(name) ? 0 : 4} for ${name}`, async () => {
      const { status, stdout } = await runCommand(['warc', '--check', join(files, name)])
      const records = recordsOf(stdout)
      expect(records.some(({ error }) => error !== null)).to.equal(!sound.includes(name))
      expect(status).to.equal(sound.includes(name) ? 0 : 4)
    })

  // what warcio check says of the same file: the first payload digest is wrong, the others are right in four spellings
  it('compares digests in base32, base64 and base64url', async () => {
    const { stdout } = await runCommand(['warc', '--check', join(files, 'warcio-example-digest.warc')])
    expect(recordsOf(stdout).map(({ digestOk }) => digestOk)).to.deep.equal([false, true, true, true])
  })

  it('gives type, place, length and date of each record', async () => {
    const { stdout } = await runCommand(['warc', '--check', join(files, 'own-two-members.warc.gz')])
    const common = { key: 'http://example.com/', length: 62, date: '2020-01-01T00:00:00Z', digestOk: null, error: null }
    const [first, second] = recordsOf(stdout)
    expect(first).to.include({ ...common, type: 'response', offset: 0 })
    expect(second).to.include({ ...common, type: 'resource' })
    expect(second?.offset).to.be.above(0)
  })

  it('goes on behind what is no record', async () => {
    const { stdout } = await runCommand(['warc', '--check', join(files, 'own-garbage-between.warc')])
    expect(recordsOf(stdout).map(({ type, error }) => [type, error === null])).to.deep.equal([
      ['response', true],
      ['', false],
      ['response', true],
    ])
  })
})

describe('warc', () => {
  it('wants to know what to do', async () => {
    for (const args of [['x.warc'], ['x.warc', '--check', '--out', 'folder']]) {
      const error = await runCommand(['warc', ...args]).catch((thrown: unknown) => thrown)
      expect(error).to.include({ code: 'USAGE' })
    }
  })
})
