/**
 * A float32 as Java's Float.toString writes it since JDK 19: the shortest decimal of two digits or more that reads back as the same float,
 * with at least one digit behind the point; `1.0E-4` style below 10⁻³ and from 10⁷ on.
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

function shortestDecimal(float: number): Decimal {
  for (let precision = 2; precision < maxDigits; precision++) {
    const nearest = float.toExponential(precision - 1)
    if (Math.fround(Number(nearest)) === float) return toDecimal(nearest)
    const above = nextAbove(nearest)
    if (Number(nearest) < float && Math.fround(Number(above)) === float) return toDecimal(above)
  }
  return toDecimal(float.toExponential(maxDigits - 1))
}

/** One more in the last digit. Below a power of two the floats lie twice as close as above it, so there the nearest short decimal may read
 *  back as the float below, and this one as the float meant. */
function nextAbove(scientific: string): string {
  const [mantissa = '', power = '0'] = scientific.split('e')
  const digits = mantissa.replace('.', '')
  const next = String(Number(digits) + 1)
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
