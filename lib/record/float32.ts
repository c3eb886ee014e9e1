/** `value` as a finite float32; out of range goes to the largest, NaN to `fallback`. Keeps NaN and infinities out of scores. */
export function finiteFloat32(value: number, fallback = 0): number {
  if (Number.isNaN(value)) return fallback
  const rounded = Math.fround(value)
  if (rounded === Number.POSITIVE_INFINITY) return maxFloat32
  if (rounded === Number.NEGATIVE_INFINITY) return -maxFloat32
  return rounded
}

export const maxFloat32 = 3.4028234663852886e38

/** Whether a score from outside can be kept as it is: a float32 that is neither NaN nor an infinity. */
export function isFiniteFloat32(value: number): boolean {
  return Number.isFinite(Math.fround(value))
}
