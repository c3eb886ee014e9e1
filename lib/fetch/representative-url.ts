import { hostOf, registeredDomainOf } from '../url/hosts.js'

/**
 * Which of source and target of a redirect stands for both (Nutch's URLUtil.chooseRepr): another domain means the target; a permanent redirect means
 * the source if it is a root, else the target; a temporary one the root of the two, or on one host the shorter path, or the host with fewer labels.
 */
export function chooseRepresentative(source: string, target: string, isTemporary: boolean): string {
  const from = parts(source)
  const to = parts(target)
  if (from === undefined || to === undefined) return target
  if (registeredDomainOf(from.host) !== registeredDomainOf(to.host)) return target
  if (!isTemporary) return from.isRoot ? source : target
  if (from.isRoot !== to.isRoot) return from.isRoot ? source : target
  if (from.host !== to.host) return countParts(to.host, '.') < countParts(from.host, '.') ? target : source
  const fromDepth = countParts(from.path, '/')
  const toDepth = countParts(to.path, '/')
  if (fromDepth !== toDepth) return toDepth < fromDepth ? target : source
  return to.path.length < from.path.length ? target : source
}

function parts(url: string): { readonly host: string; readonly path: string; readonly isRoot: boolean } | undefined {
  if (!URL.canParse(url)) return undefined
  const { pathname, search } = new URL(url)
  return { host: hostOf(url), path: pathname + search, isRoot: pathname === '/' && search === '' }
}

/** Parts as Java's split counts them: empty ones at the end are none. */
function countParts(text: string, separator: string): number {
  const found = text.split(separator)
  while (found.at(-1) === '') found.pop()
  return found.length
}
