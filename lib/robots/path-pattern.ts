/** A path pattern of robots.txt, made ready for matching (RFC 9309 §2.2.2 and §2.2.3). */
export interface PathPattern {
  /** Octets of the normalized pattern: the longest match wins. */
  readonly lengthBytes: number
  /** Pieces between the `*`s; the first must stand at the start of the path. */
  readonly pieces: readonly string[]
  /** Whether `$` ties the last piece to the end. */
  readonly isAnchored: boolean
}

/** Compiles a pattern. `value` has one character a byte, as robots.txt had them. */
export function compilePattern(value: string): PathPattern {
  const isAnchored = value.endsWith('$')
  const normalized = normalizeOctets(isAnchored ? value.slice(0, -1) : value, false)
  const pieces = normalized.split('*').filter((piece, index, all) => piece !== '' || index === 0 || index === all.length - 1)
  return { lengthBytes: normalized.length + (isAnchored ? 1 : 0), pieces, isAnchored }
}

/** Whether `path`, from `matchablePath`, is one the pattern covers. Time is linear in path and pattern for each `*`-free piece. */
export function matchesPath({ pieces, isAnchored }: PathPattern, path: string): boolean {
  const first = pieces[0] ?? ''
  if (!path.startsWith(first)) return false
  let at = first.length
  const last = pieces.length - 1
  if (last === 0) return !isAnchored || at === path.length
  for (let index = 1; index < last; index++) {
    const piece = pieces[index] as string // index is below the length
    const found = findPiece(path, piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  const tail = pieces[last] as string // pieces is never empty
  if (isAnchored) return path.length - tail.length >= at && path.endsWith(tail)
  return tail === '' || findPiece(path, tail, at) >= 0
}

/** What of a URL the rules are compared with: path and query, octets normalized; `*` is escaped, being special in patterns only, and `$` is in both. */
export function matchablePath(url: string): string {
  return normalizeOctets(Buffer.from(pathAndQuery(url)).toString('latin1'), true)
}

/** Path and query of a URL or of what is left of one; always starts with `/`. */
export function pathAndQuery(url: string): string {
  let start = url.startsWith('//') ? 2 : 0
  const authorityEnd = url.slice(start).search(/[/?;#]/)
  const scheme = url.indexOf('://', start)
  if (scheme >= 0 && (authorityEnd < 0 || scheme < start + authorityEnd)) start = scheme + 3
  const path = url.slice(start).search(/[/?;]/)
  const hash = url.indexOf('#', start)
  if (path < 0 || (hash >= 0 && hash < start + path)) return '/'
  const end = hash < 0 ? url.length : hash
  const found = url.slice(start + path, end)
  return found.startsWith('/') ? found : `/${found}`
}

const unreserved = /[A-Za-z0-9\-._~]/

/** Escapes what a URL cannot hold, writes escapes in upper case, and resolves those of unreserved characters. */
function normalizeOctets(octets: string, escapesStar: boolean): string {
  return octets.replace(escapesStar ? octetsOfPath : octetsOfPattern, found => {
    if (found.length < 3) return escapeOctet(found.charCodeAt(0))
    const character = String.fromCharCode(Number.parseInt(found.slice(1), 16))
    return unreserved.test(character) ? character : found.toUpperCase()
  })
}

/** Brackets and the apostrophe are among what is escaped: canonical URLs, and queries on the wire, have them so, and rules as people write them. */
const octetsOfPattern = /%[0-9A-Fa-f]{2}|[^!#%&()*+,\-./0-9:;=?@A-Z_a-z~]/g
const octetsOfPath = /%[0-9A-Fa-f]{2}|[^!#%&()+,\-./0-9:;=?@A-Z_a-z~]/g

function escapeOctet(code: number): string {
  return `%${code.toString(16).toUpperCase().padStart(2, '0')}`
}

/** `indexOf`, in linear time where a hostile piece and path would make it quadratic. */
function findPiece(path: string, piece: string, from: number): number {
  if (piece.length * path.length < 65_536) return path.indexOf(piece, from)
  const fallback = fallbackTable(piece)
  let matched = 0
  for (let at = from; at < path.length; at++) {
    while (matched > 0 && path[at] !== piece[matched]) matched = fallback[matched - 1] as number
    if (path[at] === piece[matched]) matched += 1
    if (matched === piece.length) return at - matched + 1
  }
  return -1
}

/** The failure function of Knuth, Morris and Pratt. */
function fallbackTable(piece: string): Uint16Array {
  const table = new Uint16Array(piece.length)
  let matched = 0
  for (let at = 1; at < piece.length; at++) {
    while (matched > 0 && piece[at] !== piece[matched]) matched = table[matched - 1] as number
    if (piece[at] === piece[matched]) matched += 1
    table[at] = matched
  }
  return table
}
