/** The type and subtype of a Content-Type, lower case; undefined if it names none. Takes what servers send: spaces, stray semicolons, raw bytes. */
export function mediaTypeOf(contentType: string | undefined): string | undefined {
  const essence = contentType?.split(/[;,]/, 1)[0]?.trim().toLowerCase() ?? ''
  return /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+$/.test(essence) ? essence : undefined
}

/** Types that say only that the server does not know. */
export function isUnknownType(mediaType: string | undefined): boolean {
  return mediaType === undefined || unknownTypes.has(mediaType)
}

const unknownTypes = new Set([
  'application/octet-stream',
  'application/unknown',
  'application/x-unknown-content-type',
  'binary/octet-stream',
  'content/unknown',
  'unknown/unknown',
  '*/*',
])

export function isXmlType(mediaType: string): boolean {
  return mediaType === 'application/xml' || mediaType === 'text/xml' || mediaType.endsWith('+xml')
}

/** Whether content of this type is meant to be text. */
export function isTextType(mediaType: string): boolean {
  return mediaType.startsWith('text/') || isXmlType(mediaType) || textualTypes.has(mediaType) || mediaType.endsWith('+json')
}

const textualTypes = new Set([
  'application/json',
  'application/javascript',
  'application/x-javascript',
  'application/ecmascript',
  'application/rss',
  'application/atom',
])
