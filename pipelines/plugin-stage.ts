import { injectedDatum } from '../lib/crawldb/rules/inject-rule.js'
import { pluginFailed } from '../lib/plugin/plugin-failure.js'
import type { LoadedPlugin, StagePlugin } from '../lib/plugin/plugin-points.js'
import { datumToJson } from '../lib/record/datum-json.js'
import { formatLine, isJsonObject, type KeyedLine } from '../lib/record/line-format.js'
import { parseSeedLine } from '../lib/record/seed-line.js'
import { storedUrl } from '../lib/record/url.js'
import { splitLines } from '../lib/stream/split-lines.js'
import { readOrReport, type ShellStage } from './shell-stages.js'

/** Lines through the stage of a plugin. @throws {CrawlError} PLUGIN_FAILED if it throws, or gives what is no line */
export function pluginLines(shell: ShellStage, loaded: LoadedPlugin<StagePlugin>) {
  return async function* pluginStage(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
    const input = new Input(readKeyedLines(shell, chunks))
    try {
      for await (const line of loaded.plugin.run(input)) yield lineOf(line)
    } catch (error) {
      throw input.failure ?? pluginFailed(loaded, 'run', error)
    }
  }
}

/** Hands lines on, and keeps what went wrong before the plugin: that is none of its failures. */
class Input implements AsyncIterable<KeyedLine> {
  failure: unknown

  constructor(readonly lines: AsyncIterable<KeyedLine>) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<KeyedLine> {
    const iterator = this.lines[Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await this.#next(iterator)
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
