const scratch = new DataView(new ArrayBuffer(4))

/** Characters that a bucket takes in a key. */
export const bucketLength = 5

/**
 * The place of a sort value in the `due` and `heads` indexes: five characters whose order is best first. The upper 16 bits of the float32,
 * so about 128 buckets for each doubling, then `1` if the value is exactly the bucket's lower bound, else `0`: scores such as 0, 1 or 0.5,
 * which very many URLs share, so have a bucket in which all are equal.
 */
export function bucketOf(sortValue: number): string {
  scratch.setFloat32(0, sortValue + 0)
  const bits = scratch.getUint32(0)
  const isNegative = bits >>> 31 === 1
  const descending = isNegative ? bits & 0x7fff_ffff : ~bits & 0x7fff_ffff
  const rank = (isNegative ? 0x8000 : 0) | (descending >>> 16)
  const isExact = !isNegative && (bits & 0xffff) === 0
  return rank.toString(16).padStart(4, '0') + (isExact ? '1' : '0')
}

/** Whether all sort values of a bucket are equal. */
export function isExactBucket(bucket: string): boolean {
  return bucket[4] === '1'
}

/** The largest sort value that a bucket can hold. */
export function bucketUpperBound(bucket: string): number {
  const rank = Number.parseInt(bucket.slice(0, 4), 16)
  const isNegative = rank >= 0x8000
  const upper = isNegative ? 0x8000 | (rank & 0x7fff) : ~rank & 0x7fff
  scratch.setUint16(0, upper)
  scratch.setUint16(2, isExactBucket(bucket) || isNegative ? 0 : 0xffff)
  return scratch.getFloat32(0)
}
