import { PassThrough, Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect } from 'chai'
import { batchRecords } from '../../lib/stream/batch.js'
import { flatMapRecords, mapRecords, type Stage, type StageOptions, tapRecords } from '../../lib/stream/stage.js'
import { failureOf, gatedSink, settle, upTo } from '../support/stream-probe.js'

/** Each factory, made to hand numbers on unchanged after `look`. */
const factories: Readonly<Record<string, (look: (value: number) => Promise<void>, options?: StageOptions) => Stage<number, number>>> = {
  mapRecords: (look, options) =>
    mapRecords(async value => {
      await look(value)
      return value
    }, options),
  flatMapRecords: (look, options) =>
    flatMapRecords(async function* (value: number) {
      await look(value)
      yield value
    }, options),
  tapRecords: (look, options) => tapRecords(look, options),
}
const nothing = async (): Promise<void> => undefined
for (const [name, make] of Object.entries(factories)) {
  describe(name, () => {
    it('is a Transform of node:stream, in object mode', () => {
      const stage = make(nothing)
      expect(stage).to.be.instanceOf(Transform)
      expect([stage.readableObjectMode, stage.writableObjectMode]).to.deep.equal([true, true])
    })

    it('works with .pipe() and in pipeline()', async () => {
      expect(await upTo(100).pipe(make(nothing)).toArray()).to.deep.equal(await upTo(100).toArray())
      const collected: number[] = []
      await pipeline(upTo(100), make(nothing), make(nothing), async source => {
        for await (const value of source as AsyncIterable<number>) collected.push(value)
      })
      expect(collected).to.deep.equal(await upTo(100).toArray())
    })

    for (const highWaterMarkRecords of [1, 4, 16]) {
      it(`holds at most ${highWaterMarkRecords} records on each side before a sink that does not take any`, async () => {
        let entered = 0
        const look = async (): Promise<void> => void entered++
        const { sink, taken } = gatedSink()
        const stop = new AbortController()
        const source = upTo(1000)
        const done = failureOf(pipeline(source, make(look, { highWaterMarkRecords }), sink, { signal: stop.signal }))
        await settle()
        expect(taken).to.deep.equal([0])
        expect(entered).to.be.within(1, highWaterMarkRecords + 3) // its readable side, the one in hand, the sink's own one or two
        stop.abort()
        await done
        expect(source.destroyed).to.equal(true)
      })
    }

    it('goes on when the sink takes a record, one for one', async () => {
      let entered = 0
      const look = async (): Promise<void> => void entered++
      const { sink, release, taken } = gatedSink()
      const done = pipeline(upTo(40), make(look, { highWaterMarkRecords: 1 }), sink)
      for (let count = 1; count <= 40; count++) {
        await settle()
        expect(taken.length).to.equal(count)
        expect(entered - taken.length).to.be.at.most(4)
        release()
      }
      await done
      expect(taken).to.deep.equal(await upTo(40).toArray())
    })

    it('leaves nothing open when aborted, also with a record in hand', async () => {
      const stop = new AbortController()
      const stuck = make(() => new Promise(() => undefined))
      const source = upTo(1000)
      const sink = new PassThrough({ objectMode: true })
      const done = failureOf(pipeline(source, stuck, sink, { signal: stop.signal }))
      await settle()
      stop.abort(new Error('enough'))
      expect(await done).to.have.property('name', 'AbortError')
      await settle()
      expect([source.destroyed, stuck.destroyed, sink.destroyed]).to.deep.equal([true, true, true])
    })

    for (const { when, look } of [
      {
        when: 'throws',
        look: async (value: number) => {
          if (value === 5) throw new Error('bad record')
        },
      },
      {
        when: 'rejects later',
        look: async (value: number) => (value === 5 ? settle().then(() => Promise.reject(new Error('bad record'))) : undefined),
      },
    ]) {
      it(`fails the pipeline when the function ${when}`, async () => {
        const source = upTo(1000)
        const collected: number[] = []
        const sink = new Writable({
          objectMode: true,
          write(value: number, _encoding, done) {
            collected.push(value)
            done()
          },
        })
        const failure = await failureOf(pipeline(source, make(look), sink))
        expect(failure).to.have.property('message', 'bad record')
        expect(collected).to.deep.equal([0, 1, 2, 3, 4].slice(0, collected.length))
        expect([source.destroyed, sink.destroyed]).to.deep.equal([true, true])
      })
    }

    for (const reason of [undefined, null, 0, '']) {
      it(`loses no record when the function rejects with ${JSON.stringify(reason)}: the pipeline fails`, async () => {
        const rejectsAtFive = (value: number): Promise<void> => (value === 5 ? Promise.reject(reason) : nothing())
        const failure = await failureOf(pipeline(upTo(10), make(rejectsAtFive), new PassThrough({ objectMode: true }).resume()))
        expect(failure).to.have.property('message', 'a stage failed without a reason')
      })
    }

    it('passes no half batch on when what is before it fails', async () => {
      const source = async function* () {
        for (let value = 0; value < 10; value++) yield value
        await settle() // so that the whole batches have come through
        throw new Error('source torn')
      }
      const batches: number[][] = []
      const failure = await failureOf(
        pipeline(source, make(nothing), batchRecords<number>(4), async batched => {
          for await (const batch of batched) batches.push(batch)
        }),
      )
      expect(failure).to.have.property('message', 'source torn')
      expect(batches).to.deep.equal([
        [0, 1, 2, 3],
        [4, 5, 6, 7],
      ])
    })

    it('passes no half batch on when aborted', async () => {
      const stop = new AbortController()
      const batches: number[][] = []
      const look = async (value: number): Promise<void> => {
        if (value !== 9) return
        await settle()
        stop.abort()
      }
      await failureOf(
        pipeline(
          upTo(1000),
          make(look, { highWaterMarkRecords: 1 }),
          batchRecords<number>(4),
          async batched => {
            for await (const batch of batched) batches.push(batch)
          },
          { signal: stop.signal },
        ),
      )
      expect(batches).to.deep.equal([
        [0, 1, 2, 3],
        [4, 5, 6, 7],
      ])
    })
  })
}

describe('mapRecords and flatMapRecords', () => {
  it('drop a record by giving nothing', async () => {
    const isEven = (value: number): boolean => value % 2 === 0
    expect(
      await upTo(6)
        .pipe(mapRecords((value: number) => (isEven(value) ? value : undefined)))
        .toArray(),
    ).to.deep.equal([0, 2, 4])
    expect(
      await upTo(6)
        .pipe(flatMapRecords((value: number) => (isEven(value) ? [value] : [])))
        .toArray(),
    ).to.deep.equal([0, 2, 4])
  })

  it('fan out in order, from arrays and generators', async () => {
    expect(
      await upTo(4)
        .pipe(flatMapRecords((value: number) => Array<number>(value).fill(value)))
        .toArray(),
    ).to.deep.equal([1, 2, 2, 3, 3, 3])
  })

  it('ask a fan-out for no more than the reader takes, and close its generator on abort', async () => {
    let yielded = 0
    let isClosed = false
    const endless = flatMapRecords(
      function* (start: number) {
        try {
          for (;;) yield start + yielded++
        } finally {
          isClosed = true
        }
      },
      { highWaterMarkRecords: 4 },
    )
    const { sink, release, taken } = gatedSink()
    const stop = new AbortController()
    const done = failureOf(pipeline(upTo(1), endless, sink, { signal: stop.signal }))
    await settle()
    expect(yielded).to.be.within(1, 8)
    for (let count = 0; count < 20; count++) {
      release()
      await settle()
    }
    expect(taken).to.deep.equal(Array.from({ length: 21 }, (_, index) => index))
    expect(yielded).to.be.within(21, 28)
    stop.abort()
    await done
    await settle()
    expect(isClosed).to.equal(true)
  })
})
