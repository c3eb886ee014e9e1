import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect } from 'chai'
import { type FetchSetup, setUpFetch } from './fetch-setup.js'

/** Chunked bodies as servers send them, each with `hello world` in it; a browser shows all of them. */
const bodies: readonly { readonly name: string; readonly body: string; readonly keeps?: boolean }[] = [
  { name: 'as RFC 9112 has them', body: '5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n', keeps: true },
  { name: 'with sizes of a fixed width', body: '00000000000000005\r\nhello\r\n00000006\r\n world\r\n00\r\n\r\n', keeps: true },
  { name: 'with sizes padded with blanks', body: '5   \r\nhello\r\n6 \t\r\n world\r\n0   \r\n\r\n' },
  { name: 'with blanks behind one size only', body: '5\r\nhello\r\n6  \r\n world\r\n0\r\n\r\n' },
  { name: 'with lines that end in LF', body: '5\nhello\n6\n world\n0\n\n' },
  { name: 'with extensions', body: '5;a=b\r\nhello\r\n6 ; c = "d e"\r\n world\r\n0;é\r\n\r\n' },
  { name: 'with trailers', body: '5\r\nhello\r\n6\r\n world\r\n0\r\nX-Sum: 1\r\n\r\n' },
  { name: 'with trailers that are no fields', body: '5\r\nhello\r\n6\r\n world\r\n0\r\nX-Sum\r\n: 1\r\n\r\n' },
]

describe('Chunks', () => {
  let port: number
  let sends: (socket: Socket) => void
  let connections: number
  let setup: FetchSetup
  const server = createServer(socket => {
    connections += 1
    socket.on('error', () => undefined)
    socket.on('data', bytes => {
      if (bytes.toString('latin1').startsWith('GET /robots.txt')) socket.write('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')
      else sends(socket)
    })
  })
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port // listens on a port
  })
  after(() => server.close())
  beforeEach(() => {
    connections = 0
    setup = setUpFetch({ 'http.timeout': 2000 })
  })
  afterEach(() => setup.client.close())

  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n'
  const fetched = async (path = '/x') => {
    const run = await setup.fetch([`http://127.0.0.1:${port}${path}`])
    const { status, truncated } = run.outcome(`http://127.0.0.1:${port}${path}`)
    return { status, truncated, text: String(run.pages[0]?.exchanges.at(-1)?.payload) }
  }
  const whole = { status: 'fetch_success', truncated: undefined, text: 'hello world' }

  for (const { name, body, keeps = false } of bodies) {
    it(`${name} are read, in one piece`, async () => {
      sends = socket => socket.write(head + body, 'latin1')
      expect(await fetched('/1')).to.deep.equal(whole)
      expect(await fetched('/2')).to.deep.equal(whole)
      expect(connections).to.equal(keeps ? 1 : 2)
    })

    it(`${name} are read, wherever they are parted`, async () => {
      for (let at = 1; at < body.length; at++) {
        sends = socket => {
          socket.setNoDelay()
          socket.write(head + body.slice(0, at), 'latin1', () => setImmediate(() => socket.write(body.slice(at), 'latin1')))
        }
        expect(await fetched(`/${at}`), `parted at ${at}`).to.deep.equal(whole)
      }
    })
  }

  it('are whole where the connection ends behind the last one', async () => {
    for (const end of ['0\r\n', '0\r\nX-Sum: 1\r\n']) {
      sends = socket => socket.end(`${head}b\r\nhello world\r\n${end}`)
      expect(await fetched(`/${end.length}`)).to.deep.equal(whole)
    }
  })

  it('are cut where it ends before', async () => {
    sends = socket => socket.end(`${head}b\r\nhello world\r\n`)
    expect(await fetched()).to.deep.equal({ ...whole, truncated: 'disconnect' })
  })
})
