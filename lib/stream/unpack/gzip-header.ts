const flags = { headerCrc: 2, extra: 4, name: 8, comment: 16 } as const

/** Length of a gzip member's header (RFC 1952 §2.3); undefined if it is longer than `bytes`, -1 if it is none. */
export function gzipHeaderLength(bytes: Buffer): number | undefined {
  if (bytes.length < 10) return bytes.length >= 2 && (bytes[0] !== 0x1f || bytes[1] !== 0x8b) ? -1 : undefined
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b || bytes[2] !== 8) return -1
  const set = bytes[3] ?? 0
  let at = 10
  if ((set & flags.extra) !== 0) {
    if (bytes.length < at + 2) return undefined
    at += 2 + bytes.readUInt16LE(at)
  }
  for (const flag of [flags.name, flags.comment]) {
    if ((set & flag) === 0) continue
    const end = bytes.indexOf(0, at)
    if (end < 0) return undefined
    at = end + 1
  }
  if ((set & flags.headerCrc) !== 0) at += 2
  return at <= bytes.length ? at : undefined
}
