import { connect } from 'node:net'
import { expect } from 'chai'
import { type ReportServer, startReportServer } from './report-server.js'
import type { ReportRoute } from './reports.js'

/** Sends bytes and gives all that came back until the other side ended or reset, or nothing came for `quietMs`. */
function exchange(port: number, host: string, request: string, quietMs = 2000): Promise<{ text: string; ended: 'end' | 'reset' | 'quiet' }> {
  return new Promise(resolve => {
    let text = ''
    const socket = connect({ port, host })
    const finish = (ended: 'end' | 'reset' | 'quiet') => () => {
      socket.destroy()
      resolve({ text, ended })
    }
    socket.setTimeout(quietMs, finish('quiet'))
    socket.on('data', bytes => {
      text += bytes.toString('latin1')
    })
    socket.on('end', finish('end')).on('error', finish('reset'))
    socket.write(request, 'latin1')
  })
}

const get = (port: number, target: string, more = '', host = '127.0.0.1') => `GET ${target} HTTP/1.1\r\nHost: ${host}:${port}\r\n${more}\r\n`

describe('report server', () => {
  let server: ReportServer
  const routes: readonly ReportRoute[] = [
    { path: '(tls)', raw: 'no tls here' },
    { path: '/first', nth: 1, status: 503, body: '' },
    { path: '/first', status: 200, body: 'now' },
    { path: '/cookie', ifHeader: { cookie: true }, status: 200, body: 'in' },
    { path: '/cookie', status: 302, headers: [['Location', '{B}/x']], body: '' },
    { path: '/only-b', host: 'B', status: 200, body: 'b' },
    { path: '/raw', raw: 'HTTP/1.1 200 OK\r\nX: \u00cf\r\n\r\nrest' },
    { path: '/early', status: 200, headers: [['Content-Length', '50']], body: 'short', behaviour: 'close-early' },
    { path: '/reset', status: 200, body: 'gone', behaviour: 'reset' },
    { path: '/mute', behaviour: 'hang-before-headers' },
    { path: '/stuck', status: 200, headers: [['Content-Length', '9']], body: 'part', behaviour: 'hang' },
    { path: '/slow', status: 200, body: 'dripping', behaviour: 'slow:40/1' },
    { path: '/split', status: 200, parts: [{ text: 'ab', times: 3 }], behaviour: 'split:1,3' },
    { path: '/p/*', status: 200, bodyBase64: 'AP8=' },
  ]
  before(async () => {
    server = await startReportServer(routes)
  })
  after(() => server.close())

  it('answers by path, host, number of the request and headers, and fills in the origins', async () => {
    const { port } = server
    const pipelined = ['/first', '/first', '/cookie', '/only-b'].map(target => get(port, target)).join('')
    const { text } = await exchange(port, '127.0.0.1', `${pipelined}${get(port, '/cookie', 'Cookie: k=1\r\n')}${get(port, '/p/any?q')}`, 100)
    expect(text.match(/HTTP\/1\.1 \d+/g)).to.deep.equal([503, 200, 302, 404, 200, 200].map(status => `HTTP/1.1 ${status}`))
    expect(text).to.include(`Location: http://127.0.0.2:${port}/x\r\n`).and.include('Content-Length: 3\r\n\r\nnow').and.include('\u0000\u00ff')
    const onB = await exchange(port, '127.0.0.2', get(port, '/only-b', '', '127.0.0.2'), 100)
    expect(onB.text).to.match(/200 X.*\r\n\r\nb$/s)
    expect(server.targets('B')).to.deep.equal(['/only-b'])
  })

  for (const { target, ended, body } of [
    { target: '/raw', ended: 'end', body: 'X: \u00cf\r\n\r\nrest' },
    { target: '/early', ended: 'end', body: 'Content-Length: 50\r\n\r\nshort' },
    { target: '/mute', ended: 'quiet', body: '' },
    { target: '/stuck', ended: 'quiet', body: 'part' },
    { target: '/slow', ended: 'quiet', body: 'dripping' },
    { target: '/split', ended: 'quiet', body: 'ababab' },
  ]) {
    it(`${target}: ${ended}`, async () => {
      const result = await exchange(server.port, '127.0.0.1', get(server.port, target), ended === 'quiet' ? 250 : 2000)
      expect(result.ended).to.equal(ended)
      if (body === '') expect(result.text).to.equal('')
      else expect(result.text.endsWith(body), result.text).to.equal(true)
    })
  }

  it('/reset: cut off; a client that has just read data may take the reset for an end', async () => {
    const { ended } = await exchange(server.port, '127.0.0.1', get(server.port, '/reset'))
    expect(ended).to.be.oneOf(['end', 'reset'])
  })

  it('knows a TLS hello', async () => {
    const { text } = await exchange(server.port, '127.0.0.1', '\u0016\u0003\u0001\u0000')
    expect(text).to.equal('no tls here')
    expect(server.requests.at(-1)?.isTls).to.equal(true)
  })
})
