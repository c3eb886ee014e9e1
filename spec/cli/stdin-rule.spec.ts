import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { expect } from 'chai'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { readStdin, type StdinKind, stdinKind, stdinUse } from '../../pipelines/cli/stdin-rule.js'
import { useTempFolders } from '../support/temp-folder.js'

describe('which stdin is read', () => {
  for (const { names, kind, use } of [
    { names: [], kind: 'pipe', use: 'implied' },
    { names: [], kind: 'file', use: 'implied' },
    { names: [], kind: 'silent', use: 'none' },
    { names: ['seeds.txt'], kind: 'pipe', use: 'none' },
    { names: ['http://a.example/'], kind: 'file', use: 'none' },
    { names: ['-'], kind: 'silent', use: 'asked' },
    { names: ['seeds.txt', '-'], kind: 'pipe', use: 'asked' },
  ] satisfies { names: string[]; kind: StdinKind; use: string }[]) {
    it(`${kind} with ${names.join(' ') || 'nothing named'}: ${use}`, () => {
      expect(stdinUse(names, kind)).to.equal(use)
    })
  }
})

describe('what stdin is', () => {
  const newFolder = useTempFolders()

  for (const { path, kind } of [
    { path: 'file', kind: 'file' },
    { path: 'folder', kind: 'silent' },
    { path: '/dev/null', kind: 'silent' },
  ] as const) {
    it(`${path} is ${kind}`, () => {
      const folder = newFolder()
      writeFileSync(join(folder, 'file'), '')
      mkdirSync(join(folder, 'folder'))
      const descriptor = openSync(path.startsWith('/') ? path : join(folder, path), 'r')
      expect(stdinKind(descriptor)).to.equal(kind)
      closeSync(descriptor)
    })
  }

  it('a descriptor that is closed is silent', () => {
    const descriptor = openSync('/dev/null', 'r')
    closeSync(descriptor)
    expect(stdinKind(descriptor)).to.equal('silent')
  })

  for (const { name, script } of [
    { name: "a shell's pipe", script: 'echo | "$0" -e "$1"' },
    { name: 'a pipe of another Node process', script: '"$0" -e "$1"' },
  ]) {
    it(`${name} is a pipe`, async () => {
      const url = new URL('../../pipelines/cli/stdin-rule.js', import.meta.url)
      const program = `import(${JSON.stringify(url.href)}).then(({ stdinKind }) => process.stdout.write(stdinKind()))`
      const child = spawn('sh', ['-c', script, process.execPath, program], { stdio: ['pipe', 'pipe', 'inherit'] })
      expect(Buffer.concat(await child.stdout.toArray()).toString()).to.equal('pipe')
    })
  }
})

async function textOf(source: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

describe('reading stdin', () => {
  for (const use of ['asked', 'implied'] as const) {
    it(`${use}: gives all its bytes`, async () => {
      expect(await textOf(readStdin(Readable.from([Buffer.from('a\n'), Buffer.from('b\n')]), use))).to.equal('a\nb\n')
    })
  }

  it('implied, and silent: ends with a clear error, and closes it so that the process can end', async () => {
    const stdin = new PassThrough()
    const failure = await textOf(readStdin(stdin, 'implied', { silenceMs: 20 })).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(CrawlError).with.property('code', 'USAGE')
    expect(failure).to.have.property('message', 'stdin has said nothing for 0.02 s; name a file, or - to wait for it')
    expect(stdin.destroyed).to.equal(true)
  })

  for (const { use, first } of [
    { use: 'asked', first: '' },
    { use: 'implied', first: 'a' },
  ] as const) {
    it(`${use}${first === '' ? '' : ', after a first byte'}: waits for as long as it takes`, async () => {
      const stdin = new PassThrough()
      if (first !== '') stdin.write(first)
      const text = textOf(readStdin(stdin, use, { silenceMs: 10 }))
      await new Promise(resolve => setTimeout(resolve, 60)) // six times the silence that would end an implied one
      stdin.end('z')
      expect(await text).to.equal(`${first}z`)
    })
  }

  it('stops when told to, also before it began', async () => {
    for (const isEarly of [true, false]) {
      const stop = new AbortController()
      const stdin = new PassThrough()
      if (isEarly) stop.abort(new Error('enough'))
      const failure = textOf(readStdin(stdin, 'asked', { signal: stop.signal })).catch((error: unknown) => error)
      if (!isEarly) setImmediate(() => stop.abort(new Error('enough')))
      expect(await failure).to.have.property('message', 'enough')
      expect(stdin.destroyed).to.equal(true)
    }
  })
})
