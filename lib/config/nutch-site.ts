import sax from 'sax'
import { CrawlError, messageOf } from '../errors/crawl-error.js'

/** The properties of a Hadoop configuration file (nutch-site.xml): name to value. `file` is for messages.
 *  @throws {CrawlError} CONFIG_INVALID with the line if the XML cannot be read */
export function parseNutchSite(xml: string, file: string): Record<string, string> {
  const values: Record<string, string> = {}
  const parser = sax.parser(true, { trim: true })
  let element = ''
  let name = ''
  let value = ''
  parser.onopentag = tag => {
    element = tag.name
    if (element === 'property') name = value = ''
  }
  parser.ontext = parser.oncdata = text => {
    if (element === 'name') name += text
    if (element === 'value') value += text
  }
  parser.onclosetag = tag => {
    element = ''
    if (tag === 'property' && name !== '') values[name] = value
  }
  parser.onerror = cause => {
    throw new CrawlError('CONFIG_INVALID', `${file}:${parser.line + 1}: ${messageOf(cause).split('\n')[0]}`, { cause })
  }
  parser.write(xml).close()
  return values
}
