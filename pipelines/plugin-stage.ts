import { injectedDatum } from '../lib/crawldb/rules/inject-rule.js'
import { Patience } from '../lib/plugin/patience.js'
import { pluginFailed } from '../lib/plugin/plugin-failure.js'
import type { LoadedPlugin, StagePlugin } from '../lib/plugin/plugin-points.js'
import { datumToJson } from '../lib/record/datum-json.js'
import { formatLine, isJsonObject, type KeyedLine } from '../lib/record/line-format.js'
import { parseSeedLine } from '../lib/record/seed-line.js'
import { storedUrl } from '../lib/record/url.js'
import { splitLines } from '../lib/stream/split-lines.js'
import { readOrReport, type ShellStage } from './shell-stages.js'

/** Lines through the stage of a plugin. @throws {CrawlError} PLUGIN_FAILED if it throws, gives what is no line, or nothing in time */
export function pluginLines(shell: ShellStage, loaded: LoadedPlugin<StagePlugin>) {
  return async function* pluginStage(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
    const patience = new Patience(shell.context.config.crawl.pluginTimeoutMs)
    const input = new Input(readKeyedLines(shell, chunks), patience)
    try {
      for await (const line of inTime(each(loaded.plugin.run(input)), patience)) yield lineOf(line)
    } catch (error) {
      throw input.failure ?? pluginFailed(loaded, 'run', error)
    }
  }
}

async function* each(lines: AsyncIterable<KeyedLine>): AsyncGenerator<KeyedLine> {
  yield* lines
}

/** Gives each line on, and closes the plugin's lines if the reader goes; but never waits for a plugin that does not answer. */
async function* inTime(lines: AsyncGenerator<KeyedLine>, patience: Patience): AsyncGenerator<KeyedLine> {
  for (;;) {
    const next = await patience.answer(lines.next())
    if (next.done === true) return
    let wantsMore = false
    try {
      yield next.value
      wantsMore = true
    } finally {
      if (!wantsMore) await patience.answer(lines.return(undefined))
    }
  }
}

/** Hands lines on, and keeps what went wrong before the plugin: that is none of its failures. */
class Input implements AsyncIterable<KeyedLine> {
  failure: unknown

  constructor(
    readonly lines: AsyncIterable<KeyedLine>,
    readonly patience: Patience,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<KeyedLine> {
    const iterator = this.lines[Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await this.patience.lend(() => this.#next(iterator))
        if (next.done === true) return
        yield next.value
      }
    } finally {
      await iterator.return?.()
    }
  }

  async #next(iterator: AsyncIterator<KeyedLine>): Promise<IteratorResult<KeyedLine>> {
    try {
      return await iterator.next()
    } catch (error) {
      this.failure = error
      throw error
    }
  }
}

/** A URL or a seed becomes its injected record, as `normalize` gives it. */
async function* readKeyedLines(shell: ShellStage, chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<KeyedLine> {
  const { schedule, config, clock } = shell.context
  const rules = { schedule, db: config.db, nowMs: clock.nowMs() }
  for await (const line of splitLines()(chunks)) {
    const keyed = readOrReport(shell, line, () => {
      const seed = parseSeedLine(line.text)
      if (seed.kind === 'blank') return undefined
      if (seed.kind === 'record') return { key: seed.urlText, value: seed.json }
      return { key: seed.urlText, value: datumToJson(injectedDatum(storedUrl(seed.urlText), seed.seed, rules)) }
    })
    if (keyed !== undefined) yield keyed
  }
}

function lineOf(line: unknown): string {
  if (!isJsonObject(line) || typeof line.key !== 'string' || !isJsonObject(line.value))
    throw new TypeError('gave no keyed line: { key: text, value: object } is wanted')
  if (line.key === '' || /[\t\n\r]/.test(line.key)) throw new TypeError(`gave a key that cannot stand in a line: ${JSON.stringify(line.key)}`)
  return formatLine(line.key, line.value)
}
