import type { Socket } from 'node:net'
import { parentPort } from 'node:worker_threads'
import { listenOnLoopback } from '../../pipelines/loopback-listener.js'

/** The hosts of the fetch bench, on a thread of their own: 127.0.4.* answer at once, 127.0.5.* keep a connection in one of several bad ways. */
const page = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 22000\r\n\r\n${'lorem ipsum'.repeat(2000)}`
const hosts = (block: number, count: number): string[] => Array.from({ length: count }, (_, index) => `127.0.${block}.${index + 1}`)

function answerWell(socket: Socket): void {
  socket.on('end', () => socket.end())
  socket.on('data', chunk => {
    const isRobots = chunk.toString('latin1', 4, 11) === '/robots'
    socket.write(isRobots ? 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n' : page)
  })
}

function answerBadly(socket: Socket): void {
  socket.on('end', () => socket.end())
  let timer: NodeJS.Timeout | undefined
  socket.once('close', () => clearInterval(timer))
  socket.on('data', chunk => {
    const target = chunk.toString('latin1', 4, 20)
    if (target.startsWith('/robots')) socket.write('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')
    else if (target.startsWith('/half')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf')
    else if (target.startsWith('/drip')) {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      timer = setInterval(() => socket.write('x'), 50)
    } // all others: nothing
  })
}

const good = await listenOnLoopback({ hosts: hosts(4, 20), onConnection: answerWell })
const bad = await listenOnLoopback({ hosts: hosts(5, 50), onConnection: answerBadly })
parentPort?.postMessage({ goodPort: good.port, badPort: bad.port })
