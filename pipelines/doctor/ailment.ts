/** One thing that is not as it should be in a crawl folder. */
export interface Ailment {
  readonly part: 'crawldb' | 'ledger' | 'locks' | 'job' | 'segment' | 'linkdb' | 'folder'
  /** What the part is called, where there are several. */
  readonly name?: string
  readonly problem: string
  /** Nothing is wrong, but it is to be known: it does not count as a fault. @defaultValue false */
  readonly isNote?: boolean
  /** What repairing does, in words; absent where nothing can be done. */
  readonly remedy?: string
  readonly repair?: () => Promise<void>
}

/** Takes what was found; repairs it at once where that is asked for. */
export type Report = (ailment: Ailment) => Promise<void>
