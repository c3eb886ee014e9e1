import { toHex } from '../../record/json-fields.js'
import type { CrawlDatum } from '../../record/records.js'
import type { VariableOf } from './expression.js'
import type { Evaluate } from './expression-values.js'

const fields: Readonly<Record<string, Evaluate<CrawlDatum>>> = {
  url: datum => datum.url,
  status: datum => datum.status,
  fetchTime: datum => datum.fetchTimeMs,
  modifiedTime: datum => datum.modifiedTimeMs,
  retries: datum => datum.retries,
  interval: datum => datum.fetchIntervalS,
  score: datum => datum.score,
  signature: datum => (datum.signature === undefined ? undefined : toHex(datum.signature)),
}

/** Variables of an expression over a record, as in Nutch: url, status (its name), fetchTime and modifiedTime (epoch ms), retries, interval
 *  (seconds), score, signature (hex); any other name is a metadata key, in which `-` is spelled `_`. */
export const datumVariable: VariableOf<CrawlDatum> = name => (Object.hasOwn(fields, name) && fields[name]) || metadataVariable(name)

function metadataVariable(name: string): Evaluate<CrawlDatum> {
  const mayBeSpelled = name.includes('_')
  return ({ metadata }) => {
    if (Object.hasOwn(metadata, name)) return metadata[name]
    if (!mayBeSpelled) return undefined
    for (const key of Object.keys(metadata)) if (key.includes('-') && key.replaceAll('-', '_') === name) return metadata[key]
    return undefined
  }
}
