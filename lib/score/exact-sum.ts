import { finiteFloat32 } from '../record/float32.js'

/** The exact sum of finite numbers, rounded once to a finite float32, so that their order cannot change it. What is not finite counts as 0.
 *  Partial sums that do not overlap (Shewchuk 1997, "Adaptive precision floating-point arithmetic"). */
export function exactSumFloat32(values: Iterable<number>): number {
  const partials: number[] = []
  for (const value of values) if (Number.isFinite(value)) addExactly(partials, value)
  return finiteFloat32(roundedToOdd(partials))
}

/** The same of two numbers. */
export function sumOfTwoFloat32(a: number, b: number): number {
  const sum = a + b
  const added = sum - a
  const isExact = b - added === 0 && a - (sum - added) === 0 // Knuth's error of a sum; NaN where something is not finite
  return isExact ? finiteFloat32(sum + 0) : exactSumFloat32([a, b])
}

/** Adds `value` to an expansion in place: its numbers do not overlap and grow. */
export function addExactly(partials: number[], value: number): void {
  let carried = value
  let kept = 0
  for (const partial of partials) {
    const sum = carried + partial
    const [large, small] = Math.abs(carried) < Math.abs(partial) ? [partial, carried] : [carried, partial]
    const error = small - (sum - large)
    if (error !== 0) partials[kept++] = error
    carried = sum
  }
  partials.length = kept
  if (carried !== 0) partials.push(carried)
}

const bits = new DataView(new ArrayBuffer(8))

/** The expansion as a double that, where it is not exact, has an odd last bit: rounding it on to float32 is then as rounding the exact sum. */
function roundedToOdd(partials: readonly number[]): number {
  let next = partials.length - 1
  let high = partials[next] ?? 0
  let below = 0
  while (below === 0 && next > 0) {
    const partial = partials[--next] as number // next was above 0
    const sum = high + partial
    below = partial - (sum - high)
    high = sum
  }
  if (below === 0) return high
  bits.setFloat64(0, high)
  const pattern = bits.getBigInt64(0)
  if ((pattern & 1n) === 1n) return high
  const isAway = below > 0 === high > 0
  bits.setBigInt64(0, isAway ? pattern + 1n : pattern - 1n)
  return bits.getFloat64(0)
}
