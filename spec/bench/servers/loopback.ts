import { createServer } from 'node:net'
import { systemCodeOf } from '../../../lib/errors/crawl-error.js'
import { Skipped } from '../measure.js'

/** `count` addresses of 127.`block`.0.0/16. */
export function loopbackHosts(block: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `127.${block}.${Math.floor(index / 250)}.${1 + (index % 250)}`)
}

/** A port from `firstPort` on that is free on this host.
 *  @throws {Skipped} if the machine does not have the address, as most but Linux, or no port is free */
export async function freePort(host: string, firstPort: number): Promise<number> {
  for (let port = firstPort; port < firstPort + 100; port++) if (await isFree(host, port)) return port
  throw new Skipped(`no port from ${firstPort} on is free`)
}

/** @throws {Skipped} if the machine does not have the address */
export async function requireAddress(host: string): Promise<void> {
  await isFree(host, 0)
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', error => {
      if (systemCodeOf(error) === 'EADDRNOTAVAIL') reject(new Skipped(`this machine does not have the address ${host}`))
      else resolve(false)
    })
    server.listen({ host, port }, () => server.close(() => resolve(true)))
  })
}
