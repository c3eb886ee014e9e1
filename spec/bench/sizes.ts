/** How much each measure does. */
export interface BenchSizes {
  /** Whether these are the sizes that targets are set for. */
  readonly isFull: boolean
  readonly site: { readonly pages: number; readonly hosts: number }
  readonly crawlPages: number
  readonly longCrawlPages: number
  /** URLs of the small and of the large CrawlDb; each host has ten of them. */
  readonly smallDb: number
  readonly largeDb: number
  /** Pages, and links of each, that updatedb merges: as a link test, and as a segment of whole pages. */
  readonly linkUpdate: { readonly pages: number; readonly links: number }
  readonly pageUpdate: { readonly pages: number; readonly links: number }
  readonly seeds: number
  readonly moreSeeds: number
  readonly fewDue: number
  readonly topN: number
  readonly polite: { readonly hosts: number; readonly cases: readonly { readonly delayS: number; readonly pagesPerHost: number }[] }
  readonly slow: {
    readonly fastHosts: number
    readonly slowHosts: number
    readonly answerMs: number
    readonly pagesPerHost: number
    readonly delayS: number
  }
  readonly hostile: { readonly hosts: number; readonly pagesPerHost: number }
  readonly urls: number
  /** Pages that are parsed, at most. */
  readonly parsePages: number
  /** Rounds within the measures of a single function, which take the best. */
  readonly innerRounds: number
  readonly fetchPages: number
}

export const fullSizes: BenchSizes = {
  isFull: true,
  site: { pages: 5000, hosts: 20 },
  crawlPages: 5000,
  longCrawlPages: 100_000,
  smallDb: 1_000_000,
  largeDb: 10_000_000,
  linkUpdate: { pages: 25_000, links: 40 },
  pageUpdate: { pages: 100_000, links: 40 },
  seeds: 1_000_000,
  moreSeeds: 1000,
  fewDue: 10_000,
  topN: 1000,
  polite: {
    hosts: 2000,
    cases: [
      { delayS: 0.1, pagesPerHost: 25 },
      { delayS: 4, pagesPerHost: 15 },
    ],
  },
  slow: { fastHosts: 100, slowHosts: 10, answerMs: 8000, pagesPerHost: 21, delayS: 0.1 },
  hostile: { hosts: 50, pagesPerHost: 200 },
  urls: 50_000,
  parsePages: 1000,
  innerRounds: 5,
  fetchPages: 6000,
}

/** Enough to see that all works, and roughly how fast: under a minute in all. */
export const quickSizes: BenchSizes = {
  isFull: false,
  site: { pages: 300, hosts: 5 },
  crawlPages: 300,
  longCrawlPages: 1000,
  smallDb: 10_000,
  largeDb: 40_000,
  linkUpdate: { pages: 250, links: 40 },
  pageUpdate: { pages: 500, links: 40 },
  seeds: 10_000,
  moreSeeds: 100,
  fewDue: 1000,
  topN: 100,
  polite: { hosts: 50, cases: [{ delayS: 0.1, pagesPerHost: 10 }] },
  slow: { fastHosts: 10, slowHosts: 2, answerMs: 500, pagesPerHost: 5, delayS: 0.05 },
  hostile: { hosts: 5, pagesPerHost: 20 },
  urls: 5000,
  parsePages: 40,
  innerRounds: 2,
  fetchPages: 300,
}

/** As little as each measure can do. */
export const tinySizes: BenchSizes = {
  ...quickSizes,
  site: { pages: 30, hosts: 2 },
  crawlPages: 20,
  longCrawlPages: 30,
  smallDb: 200,
  largeDb: 400,
  linkUpdate: { pages: 5, links: 10 },
  pageUpdate: { pages: 5, links: 10 },
  seeds: 100,
  moreSeeds: 10,
  fewDue: 40,
  topN: 10,
  polite: { hosts: 3, cases: [{ delayS: 0.02, pagesPerHost: 3 }] },
  slow: { fastHosts: 2, slowHosts: 1, answerMs: 50, pagesPerHost: 2, delayS: 0.02 },
  hostile: { hosts: 2, pagesPerHost: 3 },
  urls: 200,
  parsePages: 5,
  innerRounds: 1,
  fetchPages: 40,
}
