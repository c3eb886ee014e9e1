import { expect } from 'chai'
import { startServer } from './server.js'

describe('spec server', () => {
  it('answers by host and path, logs start and end, and leaves nothing open', async () => {
    const server = await startServer({
      hosts: ['127.0.0.1', '127.0.0.2'],
      routes: {
        '/a': { body: 'a' },
        '127.0.0.2/b*': { status: 410, headers: { 'x-y': ['1', '2'] }, body: 'b' },
        '/written': (_request, response) => void response.end('written'),
      },
    })
    const ask = async (url: string) => {
      const response = await fetch(url)
      return `${response.status} ${response.headers.get('x-y') ?? ''} ${await response.text()}`
    }
    expect(await ask(`${server.origin()}/a`)).to.equal('200  a')
    expect(await ask(`${server.origin('127.0.0.2')}/b?c`)).to.equal('410 1, 2 b')
    expect(await ask(`${server.origin()}/b`)).to.equal('404  not found')
    expect(await ask(`${server.origin()}/written`)).to.equal('200  written')
    expect(server.requests.map(({ host, target }) => host + target)).to.deep.equal([
      '127.0.0.1/a',
      '127.0.0.2/b?c',
      '127.0.0.1/b',
      '127.0.0.1/written',
    ])
    for (const { startMs, endMs } of server.requests) expect(endMs).to.be.at.least(startMs)
    await server.close()
    expect(server.openSockets()).to.equal(0)
  })
})
