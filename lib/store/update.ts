/** One change that a job wants at a key. The payload is text without line ends; what it means is the job's. */
export interface Update {
  /** Without tabs and line ends, and within Unicode's basic plane, where bytes and strings have one order; keys of a db are ASCII. */
  readonly key: string
  readonly payload: string
}

export type KeyOrder = 'ascending' | 'descending'

/** Below 0 if key `a` comes before `b`. */
export type CompareKeys = (a: string, b: string) => number
