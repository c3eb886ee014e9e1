/**
 * URLs with their host labels reversed, as Nutch 2 and Apache Gora spell row keys: `com.foo.bar:http:8983/to?a=b`. The CrawlDb's own keys are
 * others.
 */

const parts = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#:]*)(?::([0-9]+))?([\s\S]*)$/
const reversedParts = /^([^:/]*):([A-Za-z][A-Za-z0-9+.-]*)(?::([0-9]+))?([\s\S]*)$/

/** The reversed form, or undefined for what is no URL with `//`. */
export function reverseUrl(url: string): string | undefined {
  const cut = parts.exec(url)
  if (cut === null) return undefined
  const [, scheme = '', host = '', port, rest = ''] = cut
  const file = rest === '' || rest.startsWith('/') ? rest : `/${rest}`
  return `${reversed(host)}:${scheme}${port === undefined ? '' : `:${port}`}${file}`
}

/** The URL of a reversed form, or undefined for what is none. */
export function unreverseUrl(text: string): string | undefined {
  const cut = reversedParts.exec(text)
  if (cut === null) return undefined
  const [, host = '', scheme = '', port, rest = ''] = cut
  return `${scheme}://${reversed(host)}${port === undefined ? '' : `:${port}`}${rest}`
}

const reversed = (host: string): string => host.split('.').reverse().join('.')
