import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { expect } from 'chai'
import fc from 'fast-check'
import { configWith } from '../../lib/config/resolve-config.js'
import { DueHeap } from '../../lib/fetch/due-heap.js'
import { createResolver } from '../../lib/fetch/resolver.js'
import { Ring } from '../../lib/fetch/ring.js'
import { RobotsKeeper } from '../../lib/fetch/robots-keeper.js'
import { ManualClock } from '../../lib/log/clock.js'
import { parseRobots } from '../../lib/robots/parse-robots.js'
import { setUpFetch } from './fetch-setup.js'

describe('the heap of what is due', () => {
  it('gives the earliest first, of equal ones the first put in', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 })), times => {
        const heap = new DueHeap<{ dueMs: number; readonly index: number }>()
        for (const [index, dueMs] of times.entries()) heap.push({ dueMs, index })
        const wanted = times.map((dueMs, index) => ({ dueMs, index })).sort((a, b) => a.dueMs - b.dueMs || a.index - b.index)
        expect(times.map(() => heap.pop())).to.deep.equal(wanted)
        expect(heap.pop()).to.equal(undefined)
      }),
    )
  })
})

describe('the ring', () => {
  it('gives first what came first, however long it runs', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 200 }), pushes => {
        const ring = new Ring<number>()
        const plain: number[] = []
        for (const [index, isPush] of pushes.flatMap(push => Array<boolean>(20).fill(push)).entries()) {
          if (isPush) {
            ring.push(index)
            plain.push(index)
          } else expect(ring.shift()).to.equal(plain.shift())
          expect(ring.size).to.equal(plain.length)
        }
      }),
    )
  })
})

describe('the resolver', () => {
  const resolverWith = (options: Partial<Parameters<typeof createResolver>[0]> = {}) => {
    const clock = new ManualClock(0)
    const asked: string[] = []
    const lookup = async (host: string) => {
      asked.push(host)
      if (host.startsWith('no')) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
      return [{ address: '192.0.2.1', family: 4 }]
    }
    return { clock, asked, resolve: createResolver({ clock, ttlMs: 1000, negativeTtlMs: 100, lookup, ...options }) }
  }

  it('asks once for a host, until the answer is old', async () => {
    const { clock, asked, resolve } = resolverWith()
    await Promise.all([resolve('a'), resolve('a'), resolve('b')])
    clock.advance(999)
    await resolve('a')
    expect(asked).to.deep.equal(['a', 'b'])
    clock.advance(1)
    await resolve('a')
    expect(asked).to.deep.equal(['a', 'b', 'a'])
  })

  it('keeps failures too, for a shorter time', async () => {
    const { clock, asked, resolve } = resolverWith()
    const failsFor = async (host: string) => expect(await resolve(host).catch(error => error.code)).to.equal('ENOTFOUND')
    await failsFor('no')
    clock.advance(99)
    await failsFor('no')
    clock.advance(1)
    await failsFor('no')
    expect(asked).to.deep.equal(['no', 'no'])
  })

  it('keeps a bounded number of hosts', async () => {
    const { asked, resolve } = resolverWith({ maxHosts: 2 })
    for (const host of ['a', 'b', 'c', 'c', 'a']) await resolve(host)
    expect(asked).to.deep.equal(['a', 'b', 'c', 'a'])
  })
})

describe('kept robots.txt', () => {
  it('take no more memory than allowed; those not used longest go', () => {
    const keeper = new RobotsKeeper(configWith({ 'http.robots.cache.bytes': 100_000 }).robots, new ManualClock(0))
    const rules = parseRobots(Buffer.from(`User-agent: *\n${'Disallow: /some/path/that/is/long\n'.repeat(30)}`)).forAgents(['x'])
    for (let host = 0; host < 1000; host++) {
      keeper.keep(`http://h${host}.example`, { rules, fetchedMs: 0, expiresMs: 1000 })
      expect(keeper.find('http://h0.example'), `after ${host}`).to.not.equal(undefined)
      expect(keeper.sizeBytes).to.be.at.most(100_000)
    }
    expect(keeper.find('http://h1.example')).to.equal(undefined)
    expect(keeper.find('http://h999.example')).to.not.equal(undefined)
  })
})

describe('a kept connection that the server closes as the request comes', () => {
  it('costs a second request, in its turn, and no failure', async () => {
    const sockets = new Set<Socket>()
    const requests: { readonly target: string; readonly atMs: number }[] = []
    const server = createServer(socket => {
      sockets.add(socket)
      let served = 0
      socket
        .on('error', () => undefined)
        .on('data', chunk => {
          requests.push({ target: chunk.toString('latin1').split(' ')[1] ?? '', atMs: performance.now() })
          if (served++ > 0) socket.destroy()
          else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine')
        })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const setup = setUpFetch({ 'fetcher.server.delay': 0.08 })
    const run = await setup.fetch([`${origin}/x`])
    setup.client.close()
    for (const socket of sockets) socket.destroy()
    server.close()
    expect(run.outcome(`${origin}/x`)).to.include({ status: 'fetch_success' })
    expect(requests.map(({ target }) => target)).to.deep.equal(['/robots.txt', '/x', '/x'])
    expect((requests[2]?.atMs ?? 0) - (requests[1]?.atMs ?? 0)).to.be.at.least(77)
  })
})

describe('a kept connection on which the rest of a longer answer comes', () => {
  it('is left, and the page is asked for again: the rest is no page', async () => {
    const sockets = new Set<Socket>()
    const targets: string[] = []
    const server = createServer(socket => {
      sockets.add(socket)
      let served = 0
      socket
        .on('error', () => undefined)
        .on('data', chunk => {
          const target = chunk.toString('latin1').split(' ')[1] ?? ''
          targets.push(target)
          const rest = served++ > 0 ? 'm\xe4ll, counted in characters' : ''
          socket.write(`${rest}HTTP/1.1 200 OK\r\nContent-Length: ${target.length}\r\n\r\n${target}`, 'latin1')
          if (rest !== '') socket.end()
        })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const setup = setUpFetch()
    const run = await setup.fetch([`${origin}/x`])
    setup.client.close()
    for (const socket of sockets) socket.destroy()
    server.close()
    expect(run.outcome(`${origin}/x`)).to.include({ status: 'fetch_success', protocol: 'http/1.1' })
    expect(String(run.pages[0]?.exchanges.at(-1)?.payload)).to.equal('/x')
    expect(targets).to.deep.equal(['/robots.txt', '/x', '/x'])
  })
})
