import { type ProtocolStatusName, protocolStatusCodes } from './status.js'

/** A protocol status as Nutch writes it into `_pst_` (ProtocolStatus.toString): `moved(12), lastModified=0: https://target/`.
 *  @param lastModifiedMs as the server gave it, epoch ms; 0 if it did not */
export function protocolStatusText(name: ProtocolStatusName, lastModifiedMs = 0, message?: string): string {
  const text = `${name}(${protocolStatusCodes[name]}), lastModified=${lastModifiedMs}`
  return message === undefined || message === '' ? text : `${text}: ${message}`
}
