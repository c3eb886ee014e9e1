import type { Config } from '../lib/config/options.js'
import { askNameServers } from '../lib/fetch/name-servers.js'
import { hostOfReversed, reversedHostOfKey } from '../lib/record/url-key.js'
import { hostOf, isIpHost, registeredDomainOf } from '../lib/url/hosts.js'

/** Finds the address of a host, or undefined if it has none. */
export type FindAddress = (host: string) => Promise<string | undefined>

const lookupsAtOnce = 25

/** Scope partition's form of a URL, if it has rules of its own. */
type DealtForm = ((url: string) => string) | undefined

/** What keys are kept together by, in `partition.url.mode`; never less than a queue, so that no queue is in two lists. */
export async function partitionIds(
  keys: readonly string[],
  config: Config,
  findAddress: FindAddress,
  dealtForm?: DealtForm,
): Promise<ReadonlyMap<string, string>> {
  const hosts = new Map<string, string>()
  for (const key of keys) {
    const reversed = reversedHostOfKey(key)
    if (!hosts.has(reversed)) hosts.set(reversed, dealtHost(hostOfReversed(reversed), dealtForm))
  }
  const { partitionMode } = config.generate
  const { queueMode } = config.fetch
  if (partitionMode === 'byIP' || queueMode === 'byIP') return addressesOf(hosts, findAddress)
  const isByDomain = partitionMode === 'byDomain' || queueMode === 'byDomain'
  return isByDomain ? new Map([...hosts].map(([reversed, host]) => [reversed, registeredDomainOf(host)])) : hosts
}

/** Of a host, not of each of its URLs: these stay together. */
function dealtHost(host: string, dealtForm: DealtForm): string {
  return dealtForm === undefined ? host : hostOf(dealtForm(`http://${host}/`))
}

/** A host without an address is kept together by its name. */
async function addressesOf(hosts: ReadonlyMap<string, string>, findAddress: FindAddress): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>()
  const queue = [...hosts]
  const work = async (): Promise<void> => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const [reversed, host] = next
      ids.set(reversed, isIpHost(host) ? host : ((await findAddress(host)) ?? host))
    }
  }
  await Promise.all(Array.from({ length: lookupsAtOnce }, work))
  return ids
}

function firstAddress(): FindAddress {
  const resolve = askNameServers()
  return host =>
    resolve(host).then(
      ([first]) => first?.address,
      () => undefined,
    )
}

/** Deals keys out to a number of lists by a hash of what keeps them together: a host is in the same list of every generate. */
export class ListPartition {
  readonly #config: Config
  readonly #lists: number
  readonly #dealtForm: DealtForm
  readonly #findAddress: FindAddress

  /** @param findAddress asked once for each host */
  constructor(
    config: Config,
    { lists, dealtForm }: { readonly lists: number; readonly dealtForm?: DealtForm },
    findAddress: FindAddress = firstAddress(),
  ) {
    this.#config = config
    this.#lists = lists
    this.#dealtForm = dealtForm
    const known = new Map<string, Promise<string | undefined>>()
    this.#findAddress = host => {
      const address = known.get(host) ?? findAddress(host)
      known.set(host, address)
      return address
    }
  }

  /** For each key the number of its list, from 0 on. */
  async listsOf(keys: readonly string[]): Promise<number[]> {
    if (this.#lists <= 1) return keys.map(() => 0)
    const ids = await partitionIds(keys, this.#config, this.#findAddress, this.#dealtForm)
    return keys.map(key => {
      const reversed = reversedHostOfKey(key)
      return hashOf(ids.get(reversed) ?? reversed) % this.#lists
    })
  }
}

/** FNV-1a with a final mix, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}
