/** Parts of a segment, by Nutch's names. */
export const parts = {
  fetchList: 'crawl_generate.ndjson',
  outcomes: 'crawl_fetch.ndjson',
  parseData: 'parse_data.ndjson',
  parseText: 'parse_text.ndjson',
  crawlParse: 'crawl_parse.ndjson',
} as const

export type PartName = (typeof parts)[keyof typeof parts]
export const partNames: readonly PartName[] = Object.values(parts)

/** Sorted captures of a sealed segment. */
export const cdxjName = 'content.cdxj'
/** Captures in the order they were written, until the seal sorts them. */
export const captureLogName = 'content.cdxj.log'
/** Steps done so far. */
export const stepsName = 'steps.json'
/** Present in a sealed segment only. */
export const manifestName = 'manifest.json'

/** `content-00000.warc.gz` for 0. */
export function warcName(number: number): string {
  return `content-${String(number).padStart(5, '0')}.warc.gz`
}

/** The number in a content file's name, or undefined if it is none. */
export function warcNumber(name: string): number | undefined {
  const match = /^content-(\d{5,})\.warc\.gz$/.exec(name)
  return match === null ? undefined : Number(match[1])
}
