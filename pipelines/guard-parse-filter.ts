import { z } from 'zod'
import type { PageParse } from '../lib/parse/page.js'
import type { PageObserver, ParseFilter } from '../lib/parse/parse-filter.js'
import { callReported, type ReportFailure } from '../lib/plugin/plugin-failure.js'
import type { LoadedPlugin } from '../lib/plugin/plugin-points.js'

/** What the rest of a crawl relies on in a page's parse; the other fields are as the parser gave them, or not looked at again. */
const parseShape = z.looseObject({
  url: z.string(),
  status: z.enum(['success', 'failed', 'notparsed']),
  mediaType: z.string(),
  title: z.string(),
  text: z.string(),
  lang: z.string(),
  robots: z.looseObject({ noindex: z.boolean(), nofollow: z.boolean(), noarchive: z.boolean() }),
  links: z.array(z.looseObject({ url: z.string(), anchor: z.string(), rel: z.string(), element: z.string() })),
  metadata: z.record(z.string(), z.string()),
})

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
          call('observe', () => observe.call(plugin, page)),
          call,
        ),
    }),
    ...(filter && { filter: (parse, page) => call('filter', () => checkParse(parse, filter.call(plugin, parse, page))) }),
  }
}

type Call = <T>(name: string, run: () => T) => T

function guardObserver(observer: PageObserver | undefined, call: Call): PageObserver | undefined {
  if (observer === undefined) return undefined
  const { openElement, closeElement, characters, finish } = observer
  return {
    ...(openElement && { openElement: (name, attributes) => call('openElement', () => openElement.call(observer, name, attributes)) }),
    ...(closeElement && { closeElement: name => call('closeElement', () => closeElement.call(observer, name)) }),
    ...(characters && { characters: text => call('characters', () => characters.call(observer, text)) }),
    ...(finish && { finish: parse => call('finish', () => checkParse(parse, finish.call(observer, parse))) }),
  }
}

function checkParse(before: PageParse, after: PageParse | undefined): PageParse {
  if (after === undefined || after === before) return before
  const checked = parseShape.safeParse(after)
  if (!checked.success) {
    const [issue] = checked.error.issues
    throw new TypeError(`gave a parse whose ${issue?.path.join('.') ?? ''} cannot be used: ${issue?.message ?? ''}`)
  }
  return after
}
