/**
 * A URL as a response header has it, which came as one character a byte: UTF-8 is read as such, other bytes over 7F are escaped as they are. What has
 * characters that no byte can be is text already.
 */
export function headerUrlText(text: string): string {
  if (/^[\0-\x7f]*$/.test(text) || /[^\0-\xff]/.test(text)) return text
  const decoded = Buffer.from(text, 'latin1').toString()
  if (!decoded.includes('\ufffd')) return decoded
  return text.replace(/[\x80-\xff]/g, octet => `%${octet.charCodeAt(0).toString(16).toUpperCase()}`)
}
