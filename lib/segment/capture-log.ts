import type { CaptureFields } from '../record/encoded-records.js'
import { warcNumber } from './part-names.js'

/** First line of a capture log that holds every capture of its segment. A log without it is not used: the captures are read anew. */
export const captureLogHead = '!whole'

/** One line of CDXJ as pywb reads it: `urlkey timestamp {json}`, ended by LF, all ASCII, so that sorting by bytes and by characters is the same. */
export function formatCapture(capture: CaptureFields, file: string, offsetBytes: number, lengthBytes: number): string {
  const { urlKey, timestamp, url, mime, status, digest } = capture
  const json = JSON.stringify({
    url,
    mime,
    ...(status === '' ? {} : { status }),
    digest,
    length: String(lengthBytes),
    offset: String(offsetBytes),
    filename: file,
  })
  return `${urlKey} ${timestamp} ${asciiJson(json)}\n`
}

/** The content file's number and the end of the record that a line names; undefined if it names none. */
export function captureFileAndEnd(line: string): { readonly number: number; readonly endBytes: number } | undefined {
  const match = /"length":"(\d+)","offset":"(\d+)","filename":"([^"]+)"\}$/.exec(line)
  const number = match === null ? undefined : warcNumber(match[3] ?? '')
  return match === null || number === undefined ? undefined : { number, endBytes: Number(match[1]) + Number(match[2]) }
}

function asciiJson(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
