import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemCodeOf } from '../errors/crawl-error.js'
import { withoutRootDot } from '../url/hosts.js'
import { HostsFile } from './hosts-file.js'

/** Addresses of a host name, each with its family. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

export interface NameServersOptions {
  /** 0 for both versions. @defaultValue 0 */
  readonly family?: 0 | 4 | 6
  /** `address:port` of each. @defaultValue those of the system */
  readonly servers?: readonly string[]
  /** How long a server is waited for, ms. @defaultValue 5000 */
  readonly timeoutMs?: number
  /** @defaultValue the system's resolver */
  readonly system?: Resolve
  /** @defaultValue the system's file of names */
  readonly hostsFile?: string
}

/** The name's own servers are silent or at fault: asking the system would hold a thread up for as long. */
const finalCodes: readonly (string | undefined)[] = ['ETIMEOUT', 'ESERVFAIL']
/** Worth asking each server anew: c-ares waits shorter for servers that were fast before, and takes a server's failure for that of all. */
const againCodes: readonly (string | undefined)[] = [...finalCodes, 'ECONNREFUSED']

/**
 * Asks name servers itself, any number of names at once: the system's resolver takes a thread of Node's pool for each name, of which there are few, so that
 * some silent servers would hold every other host up. IPv4 addresses come first. The system's resolver still answers for names that only it may know: of
 * its file of names, of the local network, and all that name servers do not know.
 */
export function askNameServers({ family = 0, servers, timeoutMs = 5000, system, hostsFile }: NameServersOptions = {}): Resolve {
  const askSystem = system ?? (hostname => askSystemResolver(hostname, family))
  const hosts = new HostsFile(hostsFile)
  const newResolver = (only = servers, tries = 2): Resolver => {
    const made = new Resolver({ timeout: timeoutMs, tries })
    if (only !== undefined) made.setServers(only)
    return made
  }
  let resolver = newResolver()
  return async hostname => {
    const name = withoutRootDot(hostname)
    if (isLocalName(name) || (await hosts.has(name))) return askSystem(name)
    let { addresses, code, failure } = await ask(resolver, hostname, family)
    if (againCodes.includes(code)) {
      for (const server of newResolver().getServers()) {
        const again = await ask(newResolver([server], 1), hostname, family)
        ;({ addresses, code, failure } = again)
        if (!againCodes.includes(code)) break
      }
      if (!againCodes.includes(code)) resolver = newResolver() // what it knows of servers is out of date
    }
    if (addresses.length > 0) return addresses
    if (finalCodes.includes(code)) throw failure
    return askSystem(hostname)
  }
}

interface Answer {
  readonly addresses: readonly LookupAddress[]
  /** Why there are none: of two failures the one that may pass. */
  readonly code?: string | undefined
  readonly failure?: unknown
}

/** How long the IPv6 addresses are waited for once the IPv4 ones are there (Resolution Delay of RFC 8305 §3): some servers never answer for them. */
const resolutionDelayMs = 50

async function ask(resolver: Resolver, hostname: string, family: 0 | 4 | 6): Promise<Answer> {
  const none: Answer = { addresses: [] }
  const four = family === 6 ? none : taken(resolver.resolve4(hostname), 4)
  const six = family === 4 ? none : taken(resolver.resolve6(hostname), 6)
  const first = await four
  const isFound = first.addresses.length > 0
  const second = await (isFound ? Promise.race([six, sleep(resolutionDelayMs, none)]) : six)
  if (isFound || second.addresses.length > 0) return { addresses: [...first.addresses, ...second.addresses] }
  return againCodes.includes(first.code) ? first : second.code === undefined ? first : second
}

async function taken(question: Promise<readonly string[]>, family: 4 | 6): Promise<Answer> {
  return question.then(
    found => ({ addresses: found.map(address => ({ address, family })) }),
    (failure: unknown) => ({ addresses: [], code: systemCodeOf(failure), failure }),
  )
}

/** Names that are never asked of name servers: a single label, `localhost` (RFC 6761 §6.3) and multicast DNS (RFC 6762 §3). */
function isLocalName(hostname: string): boolean {
  return !hostname.includes('.') || /\.(?:localhost|local)$/i.test(hostname)
}

function askSystemResolver(hostname: string, family: 0 | 4 | 6): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true, family, order: 'verbatim' }, (error, addresses) => {
      if (error === null) resolve(addresses)
      else reject(error)
    })
  })
}
