import type { PageParse } from '../lib/parse/page.js'
import type { PageObserver, ParseFilter } from '../lib/parse/parse-filter.js'
import { atOnce, callReported, type ReportFailure } from '../lib/plugin/plugin-failure.js'
import type { LoadedPlugin } from '../lib/plugin/plugin-points.js'
import { isJsonObject } from '../lib/record/line-format.js'

/** A plugin's parse filter whose failures are reported, and whose results are parses. What it throws fails the parse of the page. */
export function guardParseFilter(loaded: LoadedPlugin<ParseFilter>, report: ReportFailure): ParseFilter {
  const { plugin } = loaded
  const call = <T>(name: string, run: () => T): T => callReported(loaded, name, report, run)
  const { observe, filter } = plugin
  return {
    name: plugin.name,
    ...(observe && {
      observe: page =>
        guardObserver(
          call('observe', () => atOnce(observe.call(plugin, page))),
          call,
        ),
    }),
    ...(filter && { filter: (parse, page) => call('filter', () => checkParse(parse, atOnce(filter.call(plugin, parse, page)))) }),
  }
}

type Call = <T>(name: string, run: () => T) => T

function guardObserver(observer: PageObserver | undefined, call: Call): PageObserver | undefined {
  if (observer === undefined) return undefined
  const { openElement, closeElement, characters, finish } = observer
  return {
    ...(openElement && { openElement: (name, attributes) => call('openElement', () => atOnce(openElement.call(observer, name, attributes))) }),
    ...(closeElement && { closeElement: name => call('closeElement', () => atOnce(closeElement.call(observer, name))) }),
    ...(characters && { characters: text => call('characters', () => atOnce(characters.call(observer, text))) }),
    ...(finish && { finish: parse => call('finish', () => checkParse(parse, atOnce(finish.call(observer, parse)))) }),
  }
}

function checkParse(before: PageParse, after: PageParse | undefined): PageParse {
  if (after === undefined || after === before) return before
  const wrong = wrongFieldOf(after)
  if (wrong !== undefined) throw new TypeError(`gave a parse whose ${wrong} cannot be used`)
  return after
}

const textFields = ['url', 'mediaType', 'title', 'text', 'lang'] as const
const linkFields = ['url', 'anchor', 'rel', 'element'] as const

/** Which of the fields that the rest of a crawl relies on is not what it should be. */
function wrongFieldOf(parse: unknown): string | undefined {
  if (!isJsonObject(parse)) return 'kind'
  const { status, robots, links, metadata } = parse
  if (status !== 'success' && status !== 'failed' && status !== 'notparsed') return 'status'
  if (!isJsonObject(robots) || ['noindex', 'nofollow', 'noarchive'].some(name => typeof robots[name] !== 'boolean')) return 'robots'
  if (!Array.isArray(links) || !links.every(link => isJsonObject(link) && linkFields.every(name => typeof link[name] === 'string'))) return 'links'
  if (!isJsonObject(metadata) || Object.values(metadata).some(value => typeof value !== 'string')) return 'metadata'
  return textFields.find(name => typeof parse[name] !== 'string')
}
