/** Prefixes of the tables. Each is a sublevel of the same name. */
export const tables = {
  datum: '!datum!',
  /** Due time (14 hex digits, epoch ms) and key of what is not due yet. */
  wait: '!wait!',
  /** Host, 0x01, bucket of the sort value, rest of the key: what is due. */
  due: '!due!',
  /** Best bucket of a host, then the host: hosts that have something due. */
  heads: '!heads!',
  /** Host to the bucket that `heads` holds for it. */
  headof: '!headof!',
  /** Signature (base64url), `!`, key. */
  signature: '!signature!',
  /** Host to what is known of it; empty where the HostDb is not kept. */
  host: '!host!',
  state: '!meta!state',
} as const

/** The first key after every key of the table with this prefix. */
export function endOf(prefix: string): string {
  return `${prefix.slice(0, -1)}"`
}

export function tableRange(prefix: string): { readonly gte: string; readonly lt: string } {
  return { gte: prefix, lt: endOf(prefix) }
}

const timeDigits = 14

/** Epoch ms as text of fixed width whose order is that of time. Times before 1970 count as 0. */
export function timeText(timeMs: number): string {
  return Math.max(0, Math.floor(timeMs)).toString(16).padStart(timeDigits, '0')
}

export function waitKey(timeMs: number, key: string): string {
  return tables.wait + timeText(timeMs) + key
}

export function waitTimeMs(waitTableKey: string): number {
  return Number.parseInt(waitTableKey.slice(tables.wait.length, tables.wait.length + timeDigits), 16)
}

export function keyOfWait(waitTableKey: string): string {
  return waitTableKey.slice(tables.wait.length + timeDigits)
}

/** `key` with its bucket behind the host. */
export function dueKey(key: string, bucket: string): string {
  const hostEnd = key.indexOf('\u0001') + 1
  return tables.due + key.slice(0, hostEnd) + bucket + key.slice(hostEnd)
}

export function signatureKey(signature: Uint8Array, key: string): string {
  return `${signaturePrefix(signature)}${key}`
}

export function signaturePrefix(signature: Uint8Array): string {
  return `${tables.signature}${Buffer.from(signature).toString('base64url')}!`
}
