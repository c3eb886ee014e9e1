/** Whether a Content-Range says that the part of a 206 is all there is (RFC 9110 §15.3.7). */
export function isWholeRange(contentRange: string | undefined): boolean {
  const range = /^bytes 0-(\d{1,15})\/(\d{1,15})$/i.exec(contentRange ?? '')
  return range !== null && Number(range[1]) + 1 === Number(range[2])
}
