/**
 * A float32 as Java's Float.toString writes it since JDK 19: the shortest decimal of two digits or more that reads back as the same float,
 * the nearest of these, with at least one digit behind the point; `1.0E-4` style below 10⁻³ and from 10⁷ on.
 */
export function formatJavaFloat(value: number): string {
  const float = Math.fround(value)
  if (Number.isNaN(float)) return 'NaN'
  if (!Number.isFinite(float)) return float > 0 ? 'Infinity' : '-Infinity'
  if (float === 0) return Object.is(float, -0) ? '-0.0' : '0.0'
  const sign = float < 0 ? '-' : ''
  const { digits, exponent } = shortestDecimal(Math.abs(float))
  return sign + (exponent >= -3 && exponent < 7 ? plainForm(digits, exponent) : `${digits[0]}.${digits.slice(1) || '0'}E${exponent}`)
}

/** Significant digits without zeros at the end, and the power of ten of the first. */
interface Decimal {
  readonly digits: string
  readonly exponent: number
}

const maxDigits = 9

/** Most floats either have a short decimal or need all digits, so the search begins in the middle. */
function shortestDecimal(float: number): Decimal {
  const middle = 6
  const [from, to] = readBackAt(float, middle) === undefined ? [middle + 1, maxDigits] : [2, middle + 1]
  for (let precision = from; precision < to; precision++) {
    const text = readBackAt(float, precision)
    if (text !== undefined) return toDecimal(text)
  }
  return toDecimal(float.toExponential(maxDigits - 1))
}

/** The nearest decimal of so many digits that reads back as `float`, if there is one. */
function readBackAt(float: number, precision: number): string | undefined {
  const nearest = nearestEven(float, precision)
  const value = Number(nearest)
  if (Math.fround(value) === float) return nearest
  if (value > float) return undefined
  const above = withLastDigit(nearest, 1)
  return Math.fround(Number(above)) === float ? above : undefined
}

/** As toExponential, but of two decimals as near as each other the one with an even last digit, where JavaScript takes the larger. */
function nearestEven(float: number, precision: number): string {
  const nearest = float.toExponential(precision - 1)
  if (nearest.charCodeAt(precision) % 2 === 0) return nearest
  const oneMore = float.toExponential(precision)
  return oneMore[precision + 1] === '5' && Number(oneMore) === float ? withLastDigit(nearest, -1) : nearest
}

/** The last digit changed by `step`. One more is tried since below a power of two the floats lie twice as close as above it: the nearest
 *  short decimal may read back as the float below, and the next as the float meant. */
function withLastDigit(scientific: string, step: 1 | -1): string {
  const [mantissa = '', power = '0'] = scientific.split('e')
  const digits = mantissa.replace('.', '')
  const next = String(Number(digits) + step)
  return `${next[0]}.${next.slice(1)}e${Number(power) + next.length - digits.length}`
}

function toDecimal(scientific: string): Decimal {
  const [mantissa = '', power = '0'] = scientific.split('e')
  return { digits: mantissa.replace('.', '').replace(/0+$/, ''), exponent: Number(power) }
}

function plainForm(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`
  return `${digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')}.${digits.slice(exponent + 1) || '0'}`
}

/** Reads what Float.toString wrote; undefined if it is no such text, or not finite. */
export function parseJavaFloat(text: string): number | undefined {
  if (!/^-?\d+\.\d+(?:E-?\d+)?$/.test(text)) return undefined
  const float = Math.fround(Number(text))
  return Number.isFinite(float) ? float : undefined
}
