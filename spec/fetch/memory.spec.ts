import type { Socket } from 'node:net'
import { expect } from 'chai'
import { listenOnLoopback } from '../../pipelines/loopback-listener.js'
import { itemFor, setUpFetch } from './fetch-setup.js'

describe('memory', function memory() {
  this.timeout(60_000)

  it('is the same after 10,000 fetches as after 1,000', async function afterMany() {
    const { gc } = globalThis
    if (gc === undefined) this.skip()
    const hosts = Array.from({ length: 20 }, (_, index) => `127.0.3.${index + 1}`)
    const server = await listenOnLoopback({ hosts, onConnection: answerAll })
    const setup = setUpFetch({ 'fetcher.threads.per.queue': 4 })
    const heapAfter: number[] = []
    let done = 0
    const fetchMore = async (count: number): Promise<void> => {
      const items = Array.from({ length: count }, (_, index) => {
        const path = index % 7 === 0 ? 'gone' : index % 11 === 0 ? 'no' : 'page'
        return itemFor(`http://${hosts[index % hosts.length]}:${server.port}/${path}${done + index}`)
      })
      await setup.fetch(items, { onPage: async () => undefined })
      done += count
    }
    for (const until of [500, 1000, 10_000]) {
      while (done < until) await fetchMore(500)
      for (let times = 0; times < 3; times++) {
        gc?.()
        await new Promise(resolve => setImmediate(resolve))
      }
      heapAfter.push(process.memoryUsage().heapUsed)
    }
    setup.client.close()
    await server.close()
    const [, after1000 = 0, after10000 = 0] = heapAfter
    expect(after10000 / after1000).to.be.below(1.1)
  })
})

const page = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5000\r\n\r\n${'x'.repeat(5000)}`

/** A server that keeps nothing, so that all memory is the fetcher's. */
function answerAll(socket: Socket): void {
  socket.on('end', () => socket.end())
  socket.on('data', chunk => {
    const target = chunk.toString('latin1', 4, 20)
    if (target.startsWith('/robots')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 27\r\n\r\nUser-agent: *\nDisallow: /no')
    else socket.write(target.startsWith('/gone') ? 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n' : page)
  })
}
