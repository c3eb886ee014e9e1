/** `ref` resolved against `base` as the WHATWG parser does it (the href), or undefined where that fails. Not normalized: fragment and userinfo stay. */
export function resolveUrl(base: string, ref: string): string | undefined {
  try {
    return new URL(ref, base).href
  } catch {
    return undefined
  }
}
