import type { ParseConfig } from '../config/parse-options.js'
import type { CharsetDecision } from './charset/decide-charset.js'
import { decodeBytes } from './charset/decode-bytes.js'
import type { PageInput } from './page.js'
import type { NamedObserver, ParseFilter } from './parse-filter.js'
import type { RawPage } from './raw-page.js'

export type ReadOptions = ParseConfig & {
  /** Names that robots directives may be addressed to, beside `robots` and `*`. */
  readonly agentNames?: readonly string[]
  /** Of plugins, in order. */
  readonly filters?: readonly ParseFilter[]
}

/** A page on its way through a reader: its type and charset are decided, its text comes piece by piece. */
export class PageDocument {
  readonly #timeoutMs: number
  readonly #startMs = performance.now()
  #isOverTime = false

  constructor(
    readonly page: PageInput,
    readonly mediaType: string,
    readonly charset: CharsetDecision,
    timeoutMs: number,
  ) {
    this.#timeoutMs = timeoutMs
  }

  /** The time limit was met before the end of the page. */
  get isOverTime(): boolean {
    return this.#isOverTime
  }

  /** Decoded text in order; ends early when the time is over. */
  *pieces(): Generator<string> {
    for (const piece of decodeBytes(this.page.bytes.subarray(this.charset.markBytes), this.charset.charset)) {
      yield piece
      if (this.#timeoutMs >= 0 && performance.now() - this.#startMs > this.#timeoutMs) {
        this.#isOverTime = true
        return
      }
    }
  }

  /** All of the text. */
  text(): string {
    return [...this.pieces()].join('')
  }
}

/** What a reader makes of a document. */
export interface ReadPage {
  readonly raw: RawPage
  readonly text: string
  /** Why reading stopped early. What was read till then counts. */
  readonly fault?: string
  /** Observers that saw the page and are still to finish. */
  readonly observers?: readonly NamedObserver[]
}

/** Reads documents of some types. Never throws for what a document holds. */
export type PageReader = (document: PageDocument, options: ReadOptions) => ReadPage
