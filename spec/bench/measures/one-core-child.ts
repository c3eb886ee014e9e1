import { measureFetch } from '../fetch-bench.js'
import { measureParse } from '../parse-bench.js'
import { measureUrls } from '../url-bench.js'

/** Runs one of these in a process in which nothing else has run, and prints what it gives: NAME COUNT ROUNDS. */
const [name, count, rounds] = process.argv.slice(2)
const measured = await run(name ?? '', Number(count), Number(rounds))
process.stdout.write(`${JSON.stringify(measured)}\n`)

async function run(what: string, size: number, times: number): Promise<object> {
  const measureOf: Readonly<Record<string, () => object | Promise<object>>> = {
    urls: () => measureUrls(size, times),
    parse: () => measureParse(times, size),
    fetch: () => measureFetch(size, times),
  }
  const measure = measureOf[what]
  if (measure === undefined) throw new Error(`there is nothing to measure by the name ${what}`)
  return measure()
}
