import { expect } from 'chai'
import fc from 'fast-check'
import { encodeFrame, type FrameKind, FrameReader, frameKinds } from '../../lib/control/frames.js'
import { parseControlRequest } from '../../lib/control/request.js'

describe('control frames', () => {
  it('come out as they went in, however they are cut on the way', () => {
    const kinds = Object.keys(frameKinds) as FrameKind[]
    const frames = fc.array(fc.record({ kind: fc.constantFrom(...kinds), bytes: fc.uint8Array({ maxLength: 300 }) }), { maxLength: 8 })
    fc.assert(
      fc.property(frames, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (sent, cuts) => {
        const wire = Buffer.concat(sent.map(({ kind, bytes }) => encodeFrame(kind, bytes)))
        const reader = new FrameReader()
        const read = []
        for (let at = 0, turn = 0; at < wire.length; turn++) {
          const next = at + (cuts[turn % cuts.length] as number)
          read.push(...reader.push(wire.subarray(at, next)))
          at = next
        }
        expect(read.map(({ kind, bytes }) => ({ kind, bytes: new Uint8Array(bytes) }))).to.deep.equal(sent)
      }),
    )
  })

  for (const { what, bytes } of [
    { what: 'a kind that is none', bytes: Buffer.from([99, 0, 0, 0, 0]) },
    { what: 'a length beyond the bound', bytes: Buffer.from([1, 0xff, 0xff, 0xff, 0xff]) },
    { what: 'an HTTP request', bytes: Buffer.from('GET / HTTP/1.1\r\n\r\n') },
  ]) {
    it(`refuse ${what}`, () => {
      expect(() => new FrameReader().push(bytes))
        .to.throw()
        .with.property('code', 'CONTROL_FAILED')
    })
  }
})

describe('parseControlRequest', () => {
  const request = { command: 'readdb', args: ['/c'], options: { stats: true }, stdinKind: 'silent', isTerminal: false }
  it('reads what was asked', () => {
    expect(parseControlRequest(Buffer.from(JSON.stringify(request)))).to.deep.equal(request)
  })
  for (const changed of [{ command: 1 }, { args: 'x' }, { args: [1] }, { options: null }, { stdinKind: 'tty' }]) {
    it(`refuses ${JSON.stringify(changed)}`, () => {
      const bytes = Buffer.from(JSON.stringify({ ...request, ...changed }))
      expect(() => parseControlRequest(bytes))
        .to.throw()
        .with.property('code', 'CONTROL_FAILED')
    })
  }
  it('refuses what is no JSON', () => {
    expect(() => parseControlRequest(Buffer.from('{')))
      .to.throw()
      .with.property('code', 'CONTROL_FAILED')
  })
})
