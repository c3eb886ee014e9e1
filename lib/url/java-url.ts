import ipaddr from 'ipaddr.js'

/** A URL's parts as java.net.URL cuts it: what Nutch's rules about paths and queries were written for. Text, not canonical. */
export interface JavaUrl {
  readonly protocol: string
  readonly host: string
  /** With its colon; empty if there is none. */
  readonly port: string
  readonly path: string
  /** Without its `?`; undefined if there is none. */
  readonly query: string | undefined
  /** Without its `#`; undefined if there is none. */
  readonly ref: string | undefined
  /** Userinfo with its `@`; empty if there is none. */
  readonly userinfo: string
}

const parts = /^([A-Za-z][A-Za-z0-9+.-]*):(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([\s\S]*))?$/
const hostAndPort = /^([^@]*@)?(\[[^\]]*\]|[^:@[\]]*)(:[0-9]*)?$/
const knownProtocols = new Set(['http', 'https', 'ftp', 'file', 'mailto', 'jar'])

/** Cuts a URL, or undefined where Java would not take it: no scheme, one without `//` that it does not know, or a bad authority. */
export function javaUrl(url: string): JavaUrl | undefined {
  const cut = parts.exec(url)
  if (cut === null) return undefined
  const [, protocol = '', authority, path = '', query, ref] = cut
  if (authority === undefined && !knownProtocols.has(protocol.toLowerCase())) return undefined
  const named = hostAndPort.exec(authority ?? '')
  if (named === null) return undefined
  const [, userinfo = '', host = '', port = ''] = named
  if (host.startsWith('[') && !ipaddr.IPv6.isValid(host.slice(1, -1))) return undefined
  return { protocol: protocol.toLowerCase(), host: host.toLowerCase(), port, path, query, ref, userinfo }
}
