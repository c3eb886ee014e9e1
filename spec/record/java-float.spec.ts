import { expect } from 'chai'
import fc from 'fast-check'
import { formatJavaFloat, parseJavaFloat } from '../../lib/record/java-float.js'

/** Bits of floats and what Float.toString printed for them on a JVM (Temurin 25). */
const fromJvm: readonly (readonly [bits: number, text: string])[] = [
  [3138328473, '-0.0021834134'],
  [1242795585, '2417552.2'],
  [1218896100, '341767.12'],
  [3370839860, '-481145.62'],
  [2992396233, '-1.2825645E-8'],
  [1364459702, '5.6909062E10'],
  [3874457897, '-5.6558787E23'],
  [3355851462, '-137451.1'],
  [1647550737, '8.283933E20'],
  [614550971, '6.99543E-17'],
  [1665414, '2.333742E-39'],
  [281422231, '7.816131E-29'],
  [4258085875, '-3.4100377E37'],
  [1040495753, '0.12959494'],
  [1211664036, '188954.56'],
  [1118860870, '88.231'],
]

function floatOf(bits: number): number {
  const view = new DataView(new ArrayBuffer(4))
  view.setUint32(0, bits)
  return view.getFloat32(0)
}

describe("Java's form of a float", () => {
  for (const [bits, text] of fromJvm) it(`is ${text}`, () => expect(formatJavaFloat(floatOf(bits))).to.equal(text))

  for (const { value, text } of [
    { value: 0, text: '0.0' },
    { value: -0, text: '-0.0' },
    { value: 1, text: '1.0' },
    { value: 100, text: '100.0' },
    { value: 0.001, text: '0.001' },
    { value: 9.999e-4, text: '9.999E-4' },
    { value: 1e-4, text: '1.0E-4' },
    { value: 9_999_999, text: '9999999.0' },
    { value: 1e7, text: '1.0E7' },
    { value: 16_777_216, text: '1.6777216E7' },
    { value: 33_554_432, text: '3.3554432E7' },
    { value: 1.4e-45, text: '1.4E-45' },
    { value: 1.17549435e-38, text: '1.1754944E-38' },
    { value: 3.4028235e38, text: '3.4028235E38' },
    { value: 2_592_000, text: '2592000.0' },
    { value: 0.009999999776482582, text: '0.01' },
    { value: 0.016699996, text: '0.016699996' },
    { value: 3.8461538e-4, text: '3.8461538E-4' },
    { value: Number.NaN, text: 'NaN' },
    { value: Number.POSITIVE_INFINITY, text: 'Infinity' },
    { value: -1e300, text: '-Infinity' },
  ])
    it(`of ${value} is ${text}`, () => expect(formatJavaFloat(value)).to.equal(text))

  it('reads back as the same float', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), float => {
        expect(parseJavaFloat(formatJavaFloat(float))).to.equal(float)
      }),
      { numRuns: 5000 },
    )
  })
  for (const text of ['', '1', 'NaN', 'Infinity', '1e5', '1.0e5', '.5', '1.', '1.0E99', ' 1.0'])
    it(`is not ${JSON.stringify(text)}`, () => expect(parseJavaFloat(text)).to.equal(undefined))
})
