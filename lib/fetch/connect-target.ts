/** Where a connection goes: an origin. */
export interface ConnectTarget {
  readonly isTls: boolean
  /** As in a URL; IPv6 in brackets. */
  readonly hostname: string
  readonly port: number
}

export function connectTargetOf({ protocol, hostname, port }: URL): ConnectTarget {
  const isTls = protocol === 'https:'
  return { isTls, hostname, port: port === '' ? (isTls ? 443 : 80) : Number(port) }
}
