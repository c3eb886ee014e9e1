import './native-streams.js'
import type { Duplex, Transform } from 'node:stream'
import through2 from 'through2'

declare const takes: unique symbol
declare const gives: unique symbol

/** A Transform that takes records of `In` and gives records of `Out`; the two keys exist for the compiler only. */
export type Stage<In, Out> = Transform & { readonly [takes]?: In; readonly [gives]?: Out }

/** Something that yields records of `Out`: the start of a pipeline. */
export type Source<Out> = (Duplex & { readonly [gives]?: Out }) | AsyncIterable<Out> | Iterable<Out>

/** How much a stage holds. */
export interface StageOptions {
  /** Records held on each side before the writer must wait. @defaultValue 16 */
  readonly highWaterMarkRecords?: number
}

type MaybePromise<T> = T | Promise<T>

/**
 * A stage that gives one record for each record, or none where `fn` returns undefined.
 * A throw or rejection of `fn` destroys the stage, and with it the pipeline it stands in.
 */
export function mapRecords<In, Out>(fn: (record: In) => MaybePromise<Out | undefined>, options: StageOptions = {}): Stage<In, Out> {
  return through2.obj(streamOptions(options), async (record: In) => {
    try {
      return await fn(record)
    } catch (thrown) {
      throw reasonOf(thrown)
    }
  })
}

/** A stage that gives any number of records for each record. Respects the reader's pace between two of them. */
export function flatMapRecords<In, Out>(fn: (record: In) => Iterable<Out> | AsyncIterable<Out>, options: StageOptions = {}): Stage<In, Out> {
  return through2.obj(streamOptions(options), function flatMap(this: Transform, record: In, _encoding, done) {
    pushAll(this, fn, record).then(
      () => done(),
      thrown => done(reasonOf(thrown)),
    )
  })
}

/** A stage that hands each record on unchanged after `look` has seen it. */
export function tapRecords<T>(look: (record: T) => MaybePromise<void>, options: StageOptions = {}): Stage<T, T> {
  return mapRecords(async (record: T) => {
    await look(record)
    return record
  }, options)
}

/** What a stage fails with: to a stream, an error that is nothing, as of `Promise.reject()`, means that all went well, and the record would be lost. */
function reasonOf<T>(thrown: T): T | Error {
  return thrown || new Error('a stage failed without a reason')
}

async function pushAll<In, Out>(stage: Transform, fn: (record: In) => Iterable<Out> | AsyncIterable<Out>, record: In): Promise<void> {
  for await (const out of fn(record)) {
    if (stage.destroyed) return
    if (!stage.push(out)) await nextRead(stage)
  }
}

/** Resolves when the stage's reader asks for more, or when the stage is gone. */
function nextRead(stage: Transform): Promise<void> {
  return new Promise(resolve => {
    const read = stage._read
    const resume = (): void => {
      stage._read = read
      stage.off('close', resume)
      resolve()
    }
    stage._read = resume
    stage.once('close', resume)
  })
}

function streamOptions({ highWaterMarkRecords = 16 }: StageOptions): { highWaterMark: number } {
  return { highWaterMark: highWaterMarkRecords }
}
