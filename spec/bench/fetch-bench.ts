import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { FetchItem } from '../../lib/record/records.js'
import { itemFor, setUpFetch } from '../fetch/fetch-setup.js'

export interface FetchRates {
  readonly pages: number
  /** Pages of 22 kB per second from 20 hosts, robots.txt obeyed, no delay, up to 8 in flight for a host. */
  readonly perS: number
  /** The same while 50 more hosts keep their connections without answering. */
  readonly besideHostilePerS: number
}

/** How fast pages are fetched, alone, and beside hosts that hold their connections. The best of some rounds. */
export async function measureFetch(pages = 6000, rounds = 3): Promise<FetchRates> {
  const worker = new Worker(new URL('./fetch-bench-server.js', import.meta.url))
  const [{ goodPort, badPort }] = await once(worker, 'message')
  const good = Array.from({ length: pages }, (_, index) => itemFor(`http://127.0.4.${(index % 20) + 1}:${goodPort}/${index}`))
  const bad = Array.from({ length: 200 }, (_, index) =>
    itemFor(`http://127.0.5.${(index % 50) + 1}:${badPort}/${['half', 'drip', 'hang'][index % 3]}${index}`),
  )
  let perS = 0
  let besideHostilePerS = 0
  await fetchRate(good, pages)
  for (let round = 0; round < rounds; round++) {
    perS = Math.max(perS, await fetchRate(good, pages))
    besideHostilePerS = Math.max(besideHostilePerS, await fetchRate([...bad, ...good], pages))
  }
  await worker.terminate()
  return { pages, perS: Math.round(perS), besideHostilePerS: Math.round(besideHostilePerS) }
}

/** Pages per second until `wanted` pages have come whole; what is still in flight then is called off. */
async function fetchRate(items: readonly FetchItem[], wanted: number): Promise<number> {
  const setup = setUpFetch({ 'fetcher.threads.fetch': 128, 'fetcher.threads.per.queue': 8 })
  const enough = new AbortController()
  let whole = 0
  const startMs = performance.now()
  let endMs = startMs
  await setup.fetch(items, {
    signal: enough.signal,
    onPage: async ({ outcome }) => {
      if (outcome.status === 'fetch_success' && outcome.truncated === undefined) whole += 1
      if (whole < wanted || enough.signal.aborted) return
      endMs = performance.now()
      enough.abort()
    },
  })
  setup.client.close()
  return (wanted / (endMs - startMs)) * 1000
}
