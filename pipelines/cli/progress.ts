import { statfs } from 'node:fs/promises'
import { SingleBar } from 'cli-progress'
import { isCrawlError } from '../../lib/errors/crawl-error.js'
import type { CrawlStatus } from '../../lib/metrics/crawl-status.js'
import { formatProgress } from '../../lib/metrics/format-status.js'
import { createRegistry, serveMetrics } from '../../lib/metrics/prometheus.js'
import type { JobContext } from '../job.js'
import { writeLastStatus } from '../status.js'
import type { CommandContext, CommandOptions } from './command.js'
import { flag } from './option-values.js'

const lineMs = 500

/**
 * Shows a crawl while it runs: a line on a terminal, log lines elsewhere, metrics on a port if one is set.
 * @returns what ends that, and leaves the last figures for `millrace status`
 */
export async function showCrawl(
  context: CommandContext,
  job: JobContext,
  status: CrawlStatus,
  options: CommandOptions,
): Promise<() => Promise<void>> {
  const endMetrics = await startMetrics(job, status)
  const isOnTerminal = context.stderr.isTTY === true && options.logFormat !== 'json'
  const endShowing = flag(options, 'quiet') ? () => undefined : isOnTerminal ? showLine(context, job, status) : logLines(job, status)
  return async () => {
    endShowing()
    await endMetrics()
    status.enter('ended')
    status.watchFetch(undefined)
    await writeLastStatus(job.folder.root, status.facts()).catch(error => {
      if (!isCrawlError(error)) throw error
      context.log.warn({ reason: error.message }, 'the last figures are not kept')
    })
  }
}

async function startMetrics({ config, log }: JobContext, status: CrawlStatus): Promise<() => Promise<void>> {
  const { host, port } = config.metrics
  if (port < 0) return async () => undefined
  const server = await serveMetrics(createRegistry(status), host, port)
  log.info({ url: `http://${host}:${server.port}/metrics` }, 'metrics')
  return () => server.close()
}

/** One line that is written over: it is cut to the width of the terminal. */
function showLine({ stderr }: CommandContext, { folder }: JobContext, status: CrawlStatus): () => void {
  const bar = new SingleBar({ format: '{line}', stream: stderr as NodeJS.WritableStream, clearOnComplete: true, hideCursor: null, linewrap: false })
  bar.start(1, 0, { line: '' })
  const timer = setInterval(async () => bar.update(0, { line: formatProgress(status.facts(), await diskFreeBytes(folder.root)) }), lineMs)
  timer.unref()
  return () => {
    clearInterval(timer)
    bar.stop()
  }
}

function logLines({ log, config, folder }: JobContext, status: CrawlStatus): () => void {
  const everyMs = config.metrics.progressMs
  if (everyMs <= 0) return () => undefined
  const timer = setInterval(async () => log.info({ ...status.facts(), diskFreeBytes: await diskFreeBytes(folder.root) }, 'progress'), everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

async function diskFreeBytes(folder: string): Promise<number | undefined> {
  return statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => undefined, // not every system says
  )
}
