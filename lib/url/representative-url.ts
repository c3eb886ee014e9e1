import { hostOf, registeredDomainOf } from './hosts.js'
import { javaUrl } from './java-url.js'

/**
 * Which URL stands for a page that was reached by a redirect (Nutch's URLUtil.chooseRepr): the target if it is in another domain; else the one that people
 * would rather see: the root of a site, the shorter path, the host with fewer labels.
 */
export function representativeOf(from: string, to: string, isTemporary: boolean): string {
  const [source, target] = [javaUrl(from), javaUrl(to)]
  if (source === undefined || target === undefined) return to
  const [fromHost, toHost] = [hostOf(from), hostOf(to)]
  if (registeredDomainOf(fromHost) !== registeredDomainOf(toHost)) return to
  const [fromFile, toFile] = [source, target].map(({ path, query }) => (query === undefined ? path : `${path}?${query}`)) as [string, string]
  if (!isTemporary) return isRoot(fromFile) ? from : to
  if (isRoot(fromFile) !== isRoot(toFile)) return isRoot(fromFile) ? from : to
  if (!isRoot(fromFile) && fromHost === toHost) return isShorter(toFile, fromFile, '/') ? to : from
  return toHost.split('.').length < fromHost.split('.').length ? to : from
}

const isRoot = (file: string): boolean => file === '' || file === '/'

/** Fewer parts, or as many and fewer characters. */
function isShorter(a: string, b: string, separator: string): boolean {
  const byParts = a.split(separator).length - b.split(separator).length
  return byParts === 0 ? a.length < b.length : byParts < 0
}
