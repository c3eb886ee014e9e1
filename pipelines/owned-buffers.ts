/** The memory of those arrays that nothing else stands in, so that it may go to another thread without a copy. */
export function ownedBuffers(arrays: Iterable<Uint8Array | undefined>): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>()
  for (const bytes of arrays) {
    if (bytes === undefined || bytes.byteLength === 0 || bytes.byteLength !== bytes.buffer.byteLength) continue
    if (bytes.buffer instanceof ArrayBuffer) buffers.add(bytes.buffer)
  }
  return [...buffers]
}
