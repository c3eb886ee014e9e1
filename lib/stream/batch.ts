/** Groups records: each batch holds `recordsPerBatch` of them, the last one what is left. For use inside our own `pipeline()` calls. */
export function batchRecords<T>(recordsPerBatch: number) {
  return async function* batch(source: AsyncIterable<T>): AsyncGenerator<T[]> {
    let records: T[] = []
    for await (const record of source) {
      if (records.push(record) < recordsPerBatch) continue
      yield records
      records = []
    }
    if (records.length > 0) yield records // reached only when the source ended well
  }
}
