import { execFileSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { runCommand } from '../../support/run-command.js'
import { jsonLinesOf } from '../../support/small-site.js'
import { useTempFolders } from '../../support/temp-folder.js'

describe('import of a resource record', () => {
  const newFolder = useTempFolders()

  function resourceWarc(): Buffer {
    const block = Buffer.from('<title>\xcf\xf0\xe8\xe2\xe5\xf2</title>', 'latin1') // "Привет" in windows-1251, too little to guess by
    const head = [
      'WARC/1.0',
      'WARC-Type: resource',
      'WARC-Record-ID: <urn:uuid:7d3b2c1a-0000-4000-8000-000000000009>',
      'WARC-Date: 2020-01-02T03:04:05Z',
      'WARC-Target-URI: http://a.example/page',
      'Content-Type: text/html; charset=windows-1251',
      `Content-Length: ${block.length}`,
    ]
    return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), block, Buffer.from('\r\n\r\n')])
  }

  it('reads the page in the charset that the record names', async () => {
    const folder = newFolder()
    const file = join(folder, 'resource.warc')
    writeFileSync(file, resourceWarc())
    for (const command of [['import', '--warc', file], ['parse'], ['updatedb']]) {
      const [word = '', ...options] = command
      expect((await runCommand([word, folder, ...options])).status, word).to.equal(0)
    }
    expect(jsonLinesOf(await runCommand(['index', folder])).map(({ title }) => title)).to.deep.equal(['Привет'])
  })

  it('takes it from a named pipe, as the shell’s <(…) is one', async () => {
    const folder = newFolder()
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const written = writeFile(pipe, resourceWarc())
    expect((await runCommand(['import', join(folder, 'crawl'), '--warc', pipe])).json()).to.include({ pages: 1 })
    await written
    expect(readdirSync(join(folder, 'crawl', 'spool'))).to.deep.equal([])
  })
})
