import type { Stage } from './stage.js'

/** What can stand inside a `pipeline()`: a stage, or a generator that reads a source. */
export type Step<In, Out> = Stage<In, Out> | ((source: AsyncIterable<In>) => AsyncIterable<Out>)

/** Returns its arguments, and makes the compiler check that each step takes what the one before gives. */
export function chain<A, B>(a: Step<A, B>): [Step<A, B>]
export function chain<A, B, C>(a: Step<A, B>, b: Step<B, C>): [Step<A, B>, Step<B, C>]
export function chain<A, B, C, D>(a: Step<A, B>, b: Step<B, C>, c: Step<C, D>): [Step<A, B>, Step<B, C>, Step<C, D>]
export function chain<A, B, C, D, E>(a: Step<A, B>, b: Step<B, C>, c: Step<C, D>, d: Step<D, E>): [Step<A, B>, Step<B, C>, Step<C, D>, Step<D, E>]
export function chain<A, B, C, D, E, F>(
  a: Step<A, B>,
  b: Step<B, C>,
  c: Step<C, D>,
  d: Step<D, E>,
  e: Step<E, F>,
): [Step<A, B>, Step<B, C>, Step<C, D>, Step<D, E>, Step<E, F>]
export function chain(...steps: Step<unknown, unknown>[]): Step<unknown, unknown>[] {
  return steps
}
