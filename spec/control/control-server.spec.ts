import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { expect } from 'chai'
import { askHolder } from '../../lib/control/ask-holder.js'
import { type AnswerRequest, listenForCommands } from '../../lib/control/control-server.js'
import type { ControlRequest } from '../../lib/control/request.js'
import type { CrawlError } from '../../lib/errors/crawl-error.js'
import { silentLogger } from '../../lib/log/logger.js'
import { useTempFolders } from '../support/temp-folder.js'

const request: ControlRequest = { command: 'readdb', args: ['/c'], options: {}, stdinKind: 'pipe', isTerminal: false }

function collect(): { readonly stream: Writable; text(): string } {
  let text = ''
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString()
      done()
    },
  })
  return { stream, text: () => text }
}

async function ask(folder: string, stdin: Readable = Readable.from([])): Promise<{ status: number | undefined; out: string; err: string }> {
  const [out, err] = [collect(), collect()]
  const status = await askHolder(folder, request, { stdin, stdout: out.stream, stderr: err.stream })
  return { status, out: out.text(), err: err.text() }
}

describe('the control socket', () => {
  const newFolder = useTempFolders()

  async function withServer<T>(folder: string, answer: AnswerRequest, use: () => Promise<T>): Promise<T> {
    const server = await listenForCommands(folder, answer, silentLogger)
    try {
      return await use()
    } finally {
      await server.close()
    }
  }

  it('gives an asker its answer, its output and the exit status', async () => {
    const folder = newFolder()
    const asked: ControlRequest[] = []
    const answer: AnswerRequest = async (taken, { stdin, stdout, stderr }) => {
      asked.push(taken)
      let count = 0
      for await (const chunk of stdin) count += (chunk as Buffer).length
      stdout.write(`${count} bytes`)
      stderr.write('said')
      return 4
    }
    await withServer(folder, answer, async () => {
      expect(await ask(folder, Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(5000))))).to.deep.equal({
        status: 4,
        out: '500000 bytes',
        err: 'said',
      })
      expect(asked).to.deep.equal([request])
    })
  })

  it('can be opened by its owner only, and is gone when the holder ends', async () => {
    const folder = newFolder()
    await withServer(
      folder,
      async () => 0,
      async () => {
        expect(statSync(join(folder, 'control.sock')).mode & 0o777).to.equal(0o600)
      },
    )
    expect(readdirSync(folder)).to.deep.equal([])
    expect(process.umask()).to.not.equal(0o177)
  })

  it('is nobody where there is none, where a dead process left one, and where a file stands', async () => {
    const folder = newFolder()
    expect((await ask(folder)).status).to.equal(undefined)
    expect((await ask(join(folder, 'missing'))).status).to.equal(undefined)
    writeFileSync(join(folder, 'control.sock'), '')
    expect((await ask(folder)).status).to.equal(undefined)
    await withServer(
      folder,
      async () => 7,
      async () => expect((await ask(folder)).status).to.equal(7),
    )
  })

  it('works in a folder whose path is longer than a socket may have', async function () {
    if (process.platform !== 'linux') this.skip()
    const folder = join(newFolder(), 'a'.repeat(100), 'b'.repeat(100))
    mkdirSync(folder, { recursive: true })
    await withServer(
      folder,
      async () => 7,
      async () => expect((await ask(folder)).status).to.equal(7),
    )
    expect(readdirSync(folder)).to.deep.equal([])
  })

  it('answers several at once', async () => {
    const folder = newFolder()
    let release: () => void = () => undefined
    const both = new Promise<void>(resolve => {
      release = resolve
    })
    let waiting = 0
    const answer: AnswerRequest = async () => {
      if (++waiting === 2) release()
      await both
      return 0
    }
    await withServer(folder, answer, async () => {
      expect((await Promise.all([ask(folder), ask(folder)])).map(({ status }) => status)).to.deep.equal([0, 0])
    })
  })

  it('tells the answer that its asker has gone', async () => {
    const folder = newFolder()
    let heard: (reason: unknown) => void = () => undefined
    const gone = new Promise<unknown>(resolve => {
      heard = resolve
    })
    const answer: AnswerRequest = (_request, streams) =>
      new Promise(resolve => {
        streams.gone.addEventListener('abort', () => {
          heard(streams.gone.reason)
          resolve(0)
        })
        leave.abort(new Error('enough'))
      })
    const leave = new AbortController()
    await withServer(folder, answer, async () => {
      const asking = askHolder(folder, request, {
        stdin: Readable.from([]),
        stdout: collect().stream,
        stderr: collect().stream,
        signal: leave.signal,
      })
      expect(await asking.catch(error => (error as Error).message)).to.equal('enough')
      expect(((await gone) as Error).message).to.include('gone')
    })
  })

  it('ends what only reads when the holder ends, and tells its asker', async () => {
    const folder = newFolder()
    let begun: () => void = () => undefined
    const hasBegun = new Promise<void>(resolve => {
      begun = resolve
    })
    const server = await listenForCommands(
      folder,
      (_request, { gone }) =>
        new Promise((_resolve, reject) => {
          gone.addEventListener('abort', () => reject(gone.reason))
          begun()
        }),
      silentLogger,
    )
    const asking = ask(folder).catch(error => error as CrawlError)
    await hasBegun
    await server.close()
    expect(await asking).to.have.property('code', 'CONTROL_FAILED')
  })

  it('survives what is no request', async () => {
    const folder = newFolder()
    await withServer(
      folder,
      async () => 0,
      async () => {
        await new Promise<void>(resolve => {
          const socket = connect(join(folder, 'control.sock'), () => socket.write('GET / HTTP/1.1\r\n\r\n'))
          socket.once('close', () => resolve())
          socket.on('error', () => undefined)
        })
        expect((await ask(folder)).status).to.equal(0)
      },
    )
  })
})
