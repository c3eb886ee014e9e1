import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemCodeOf } from '../errors/crawl-error.js'

/** Addresses of a host name, each with its family. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

export interface NameServersOptions {
  /** 0 for both versions. @defaultValue 0 */
  readonly family?: 0 | 4 | 6
  /** `address:port` of each. @defaultValue those of the system */
  readonly servers?: readonly string[]
  /** How long the first try waits, ms; the second waits longer. @defaultValue 5000 */
  readonly timeoutMs?: number
  /** @defaultValue the system's resolver */
  readonly system?: Resolve
  /** @defaultValue the system's file of names */
  readonly hostsFile?: string
}

/** No use to ask again: the name's own servers are silent or at fault, and asking the system would hold a thread up for as long. */
const finalCodes: readonly (string | undefined)[] = ['ETIMEOUT', 'ESERVFAIL']

/**
 * Asks name servers itself, any number of names at once: the system's resolver takes a thread of Node's pool for each name, of which there are few, so that
 * some silent servers would hold every other host up. IPv4 addresses come first. The system's resolver still answers for names that only it may know: of
 * its file of names, of the local network, and all that name servers do not know.
 */
export function askNameServers({ family = 0, servers, timeoutMs = 5000, system, hostsFile }: NameServersOptions = {}): Resolve {
  const askSystem = system ?? (hostname => askSystemResolver(hostname, family))
  const newResolver = (): Resolver => {
    const made = new Resolver({ timeout: timeoutMs, tries: 2 })
    if (servers !== undefined) made.setServers(servers)
    return made
  }
  let resolver = newResolver()
  return async hostname => {
    if (isLocalName(hostname) || (await isInHostsFile(hostname, hostsFile))) return askSystem(hostname)
    const { addresses, failures } = await answersOf([
      ...(family === 6 ? [] : [resolver.resolve4(hostname).then(found => found.map(address => ({ address, family: 4 })))]),
      ...(family === 4 ? [] : [resolver.resolve6(hostname).then(found => found.map(address => ({ address, family: 6 })))]),
    ])
    if (addresses.length > 0) return addresses
    const final = failures.find(failure => finalCodes.includes(systemCodeOf(failure)))
    if (final === undefined) return askSystem(hostname)
    resolver = newResolver() // the system may have other servers by now
    throw final
  }
}

/** How long the answer for one version is waited for when that for the other is there (Resolution Delay of RFC 8305 §3). */
const resolutionDelayMs = 50

/** What questions give together, in their order. One that is never answered, as by servers that know of IPv4 only, holds the other up for a moment. */
async function answersOf(
  questions: readonly Promise<readonly LookupAddress[]>[],
): Promise<{ readonly addresses: readonly LookupAddress[]; readonly failures: readonly unknown[] }> {
  const found: (readonly LookupAddress[])[] = questions.map(() => [])
  const failures: unknown[] = []
  const taken = questions.map((question, index) =>
    question.then(
      addresses => {
        found[index] = addresses
      },
      error => {
        failures.push(error)
      },
    ),
  )
  const all = Promise.all(taken)
  await Promise.race([
    all,
    Promise.any(questions).then(
      () => sleep(resolutionDelayMs),
      () => all,
    ),
  ])
  return { addresses: found.flat(), failures }
}

/** Names that are never asked of name servers: a single label, `localhost` (RFC 6761 §6.3) and multicast DNS (RFC 6762 §3). */
function isLocalName(hostname: string): boolean {
  return !hostname.includes('.') || /\.(?:localhost|local)\.?$/i.test(hostname)
}

async function isInHostsFile(hostname: string, path = systemHostsFile()): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const lines = text.split('\n').map(line => line.replace(/#.*/, ''))
  return lines.some(line => line.trim().split(/\s+/).slice(1).includes(hostname))
}

function systemHostsFile(): string {
  return process.platform === 'win32' ? join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'drivers', 'etc', 'hosts') : '/etc/hosts'
}

function askSystemResolver(hostname: string, family: 0 | 4 | 6): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true, family, order: 'verbatim' }, (error, addresses) => {
      if (error === null) resolve(addresses)
      else reject(error)
    })
  })
}
