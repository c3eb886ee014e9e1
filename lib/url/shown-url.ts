const maxChars = 200

/**
 * What was to be a URL, fit for messages and logs: of reasonable length, and without the user and the password that it names. Where the password holds
 * a `/`, `?` or `#`, which is why it is no URL, what looks like its port is the password's beginning.
 */
export function shownUrl(text: string): string {
  const slashes = text.indexOf('//')
  const start = slashes < 0 ? 0 : slashes + 2
  const authority = /^[^/?#\\]*/.exec(text.slice(start))?.[0] ?? ''
  const inAuthority = authority.lastIndexOf('@')
  const isCutPassword = inAuthority < 0 && /:(?!\d*$)/.test(authority.replace(/^\[[^\]]*\]/, ''))
  const at = inAuthority >= 0 ? start + inAuthority : isCutPassword ? text.lastIndexOf('@') : -1
  const shown = at < start ? text : `${text.slice(0, start)}***${text.slice(at)}`
  return shown.length > maxChars ? `${shown.slice(0, maxChars)}…` : shown
}
