import { type MeasuredRun, startMillrace } from '../measured-child.js'
import type { ChildServer } from '../servers/child-server.js'

/** Runs a crawl until the server gives word, then kills it. @throws if the crawl ends before that */
export async function killWhenServed(
  server: ChildServer,
  args: readonly string[],
): Promise<{ readonly run: MeasuredRun; readonly waitedMs: number }> {
  const crawl = startMillrace(args)
  const tooEarly = crawl.result.then(({ stdout }) => Promise.reject(new Error(`the crawl ended before the server had seen enough: ${stdout}`)))
  const wantedMs = await Promise.race([server.wanted, tooEarly])
  tooEarly.catch(() => undefined) // it is killed in the next line, and is then no error
  crawl.kill()
  return { run: await crawl.result, waitedMs: wantedMs - crawl.startedMs }
}
