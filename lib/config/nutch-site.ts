import sax from 'sax'
import { CrawlError, messageOf } from '../errors/crawl-error.js'

/** The properties of a Hadoop configuration file (nutch-site.xml): name to value, both trimmed, as elements or as attributes of `<property>` (Hadoop's short
 *  form); the last of a name wins, unless one before it is final. `file` is for messages.
 *  Entities that a DOCTYPE declares are not expanded, and nothing outside the text is read: what Hadoop would include is asked for.
 *  @throws {CrawlError} CONFIG_INVALID with the line if the XML cannot be read or is no such file */
export function parseNutchSite(xml: string, file: string): Record<string, string> {
  const values = new Map<string, string>()
  const finals = new Set<string>()
  const parser = sax.parser(true)
  const path: string[] = []
  let hasRoot = false
  let parts = new Map<string, string>() // of the property, by name
  const refuse = (reason: string, cause?: unknown): never => {
    throw new CrawlError('CONFIG_INVALID', `${file}:${parser.line + 1}: ${reason}`, { cause })
  }
  const part = (name: string): string => parts.get(name)?.trim() ?? ''
  const isPart = (): boolean => path.length === 3 && path[1] === 'property'
  parser.onopentag = ({ name, attributes }) => {
    if (path.length === 0 && name !== 'configuration') refuse(`the root is <${name}>, <configuration> is wanted`)
    hasRoot = true
    path.push(name)
    if (path.length === 2 && /^(?:\w+:)?include$/.test(name))
      refuse(`<${name}> is not followed: put the properties of ${String(attributes.href)} here`)
    if (path.length === 2) parts = new Map(Object.entries(attributes as Record<string, string>)) // no namespaces are read
    if (isPart()) parts.set(name, '')
  }
  parser.ontext = parser.oncdata = text => {
    const [, , name = ''] = path
    if (isPart()) parts.set(name, (parts.get(name) ?? '') + text)
  }
  parser.onclosetag = () => {
    const isProperty = path.length === 2 && path[1] === 'property'
    path.pop()
    if (!isProperty || part('name') === '' || finals.has(part('name'))) return
    values.set(part('name'), part('value'))
    if (part('final') === 'true') finals.add(part('name'))
  }
  parser.onerror = cause => refuse(messageOf(cause).split('\n')[0] ?? '', cause)
  parser.write(xml).close()
  if (!hasRoot) refuse('the file is empty, <configuration> is wanted')
  return Object.fromEntries(values)
}
