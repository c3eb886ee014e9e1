/** A normalized URL. Only `lib/url` makes one from a raw string, and the codecs here from what was stored as one. */
export type Url = string & { readonly __brand: 'NormalizedUrl' }

/** Takes a string that was stored as a normalized URL back as one. Not for raw input: that goes through `normalizeUrl`. */
export function storedUrl(text: string): Url {
  return text as Url // the one other place where the brand is given: the string came out of our own storage
}
