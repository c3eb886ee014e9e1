const needsWork = /\/\/|\/\./

/**
 * Collapses runs of slashes, then removes dot segments (RFC 3986 §5.2.4; what leads above the root is dropped), in this order as Nutch does.
 * Takes a path that begins with a slash and whose escapes are canonical, so that `%2e` is seen as a dot.
 */
export function canonicalPath(path: string): string {
  if (!needsWork.test(path)) return path
  const kept: string[] = []
  const segments = path.split('/')
  const last = segments.length - 1
  for (const [index, segment] of segments.entries()) {
    if (segment === '..') kept.pop()
    if (segment === '' || segment === '.' || segment === '..') {
      if (index === last) kept.push('')
    } else kept.push(segment)
  }
  return `/${kept.join('/')}`
}
