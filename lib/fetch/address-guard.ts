import ipaddr from 'ipaddr.js'
import { CrawlError } from '../errors/crawl-error.js'

/** Decides which addresses may be connected to. Asked with the address itself, never with a name. */
export interface AddressGuard {
  /** Why the address must not be connected to, or undefined if it may. */
  refusal(address: string): string | undefined
}

export interface AddressGuardOptions {
  /** Special addresses that are opened: the words `loopback` and `private`, CIDR ranges, addresses. @defaultValue none */
  readonly allow?: readonly string[]
  /** If not empty, only these are connected to (Nutch's `http.filter.ipaddress.include`). */
  readonly include?: readonly string[]
  /** Never connected to (Nutch's `http.filter.ipaddress.exclude`). */
  readonly exclude?: readonly string[]
}

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Test = (address: Address) => boolean
interface Entry {
  readonly isIn: Test
  /** Whether it names a kind of addresses, and not these themselves. */
  readonly isWord: boolean
}

const words: Readonly<Record<string, readonly string[]>> = {
  loopback: ['loopback'],
  localhost: ['loopback'],
  private: ['private', 'uniqueLocal'],
  sitelocal: ['private', 'uniqueLocal'],
  linklocal: ['linkLocal'],
}

/** Ordinary or private addresses by their range, at which a cloud answers its own machines all the same: opened only by themselves. */
const metadataAddresses = new Set(['168.63.129.16', 'fd00:ec2::254', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe'])

/**
 * The guard: refuses every address that is not an ordinary one of the Internet (loopback, private, link-local with the cloud metadata services,
 * carrier-grade NAT, multicast, reserved, …), and IPv6 forms that carry such an IPv4 address inside.
 * @throws {CrawlError} CONFIG_INVALID for an entry that is no word, range or address
 */
export function createAddressGuard({ allow = [], include = [], exclude = [] }: AddressGuardOptions = {}): AddressGuard {
  const allowed = allow.map(compileEntry)
  const included = include.map(compileEntry)
  const excluded = exclude.map(compileEntry)
  return {
    refusal(text: string): string | undefined {
      if (!ipaddr.isValid(text)) return 'not an IP address'
      const address = innermost(ipaddr.parse(text))
      if (excluded.some(({ isIn }) => isIn(address))) return 'excluded by http.filter.ipaddress.exclude'
      if (included.length > 0 && !included.some(({ isIn }) => isIn(address))) return 'not in http.filter.ipaddress.include'
      const range = rangeOf(address)
      const isOpened = allowed.some(({ isIn, isWord }) => isIn(address) && !(isWord && range === metadataService))
      if (range === 'unicast' || isOpened) return undefined
      return `${range} address`
    },
  }
}

const metadataService = 'metadata service'

function rangeOf(address: Address): string {
  if (metadataAddresses.has(address.toString())) return metadataService
  const range = address.range()
  if (range !== 'unicast' || address.kind() === 'ipv4') return range
  const [first = 0, , , , e = 0, f = 0, high = 0, low = 0] = (address as ipaddr.IPv6).parts // kind() says so
  if (first >> 13 !== 1) return 'unassigned' // global unicast is 2000::/3 (RFC 4291 §2.4)
  const isIsatap = (e & ~0x200) === 0 && f === 0x5efe // RFC 5214 §6.1: under any prefix, what is sent there goes to the IPv4 address inside
  return isIsatap ? rangeOf(ipv4Of(high, low)) : range
}

/** The IPv4 address inside of IPv4-mapped, IPv4-compatible, NAT64 and 6to4 forms, else the address itself. */
function innermost(address: Address): Address {
  if (address.kind() === 'ipv4') return address
  const { parts } = address as ipaddr.IPv6 // kind() says so
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, high = 0, low = 0] = parts
  const isMapped = a + b + c + d + e === 0 && f === 0xffff
  const isWellKnown = a === 0x64 && b === 0xff9b && c + d + e + f === 0 // elsewhere in 64:ff9b the IPv4 address may stand anywhere (RFC 8215)
  const isTranslated = isWellKnown || (a + b + c + d === 0 && e === 0xffff && f === 0)
  const isCompatible = a + b + c + d + e + f === 0 && (high > 0 || low > 1)
  if (isMapped || isTranslated || isCompatible) return ipv4Of(high, low)
  return a === 0x2002 ? ipv4Of(b, c) : address
}

function ipv4Of(high: number, low: number): ipaddr.IPv4 {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff])
}

function compileEntry(entry: string): Entry {
  const ranges = Object.hasOwn(words, entry) ? words[entry] : undefined
  if (ranges !== undefined) return { isIn: address => ranges.includes(address.range()), isWord: true }
  try {
    const [range, bits] = ipaddr.parseCIDR(entry.includes('/') ? entry : `${entry}/${ipaddr.parse(entry).kind() === 'ipv4' ? 32 : 128}`)
    const inner = innermost(range)
    const innerBits = inner === range ? bits : Math.max(0, bits - 96)
    const isIn: Test = address => address.kind() === inner.kind() && address.match(inner as ipaddr.IPv4 & ipaddr.IPv6, innerBits) // kinds are equal
    return { isIn, isWord: false }
  } catch (cause) {
    throw new CrawlError('CONFIG_INVALID', `${entry}: not loopback, private, an address or a CIDR range`, { cause })
  }
}
