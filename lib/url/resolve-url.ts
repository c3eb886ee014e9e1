import { resolvedHref } from './parse-host-url.js'

/**
 * `ref` resolved against `base` (empty for none) as the WHATWG parser does it (the href), or undefined where that fails. Not normalized: fragment
 * and userinfo stay.
 */
export function resolveUrl(base: string, ref: string): string | undefined {
  return resolvedHref(base, ref)
}
