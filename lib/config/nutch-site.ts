import sax from 'sax'
import { CrawlError, messageOf } from '../errors/crawl-error.js'

/** The properties of a Hadoop configuration file (nutch-site.xml): name to value, both trimmed; the last of a name wins. `file` is for messages.
 *  Entities that a DOCTYPE declares are not expanded, and nothing outside the text is read.
 *  @throws {CrawlError} CONFIG_INVALID with the line if the XML cannot be read or is no such file */
export function parseNutchSite(xml: string, file: string): Record<string, string> {
  const values = new Map<string, string>()
  const parser = sax.parser(true)
  const path: string[] = []
  let hasRoot = false
  let name = ''
  let value = ''
  const refuse = (reason: string, cause?: unknown): never => {
    throw new CrawlError('CONFIG_INVALID', `${file}:${parser.line + 1}: ${reason}`, { cause })
  }
  parser.onopentag = tag => {
    if (path.length === 0 && tag.name !== 'configuration') refuse(`the root is <${tag.name}>, <configuration> is wanted`)
    hasRoot = true
    path.push(tag.name)
    if (path.length === 2) name = value = ''
  }
  parser.ontext = parser.oncdata = text => {
    if (path.length !== 3 || path[1] !== 'property') return
    if (path[2] === 'name') name += text
    if (path[2] === 'value') value += text
  }
  parser.onclosetag = () => {
    if (path.length === 2 && path[1] === 'property' && name.trim() !== '') values.set(name.trim(), value.trim())
    path.pop()
  }
  parser.onerror = cause => refuse(messageOf(cause).split('\n')[0] ?? '', cause)
  parser.write(xml).close()
  if (!hasRoot) refuse('the file is empty, <configuration> is wanted')
  return Object.fromEntries(values)
}
