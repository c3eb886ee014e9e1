import sax from 'sax'
import { type RuleFile, ruleError } from '../rule-file.js'

export interface RegexNormalizeEntry {
  readonly pattern: string
  readonly substitution: string
  /** Where its `<pattern>` begins. */
  readonly line: number
}

/** Reads Nutch's regex-normalize.xml: `<regex><pattern/><substitution/></regex>` in order.
 *  @throws {CrawlError} URL_RULE_INVALID for what is no XML, another document, or a rule without a pattern */
export function readRegexNormalize(file: RuleFile): RegexNormalizeEntry[] {
  const parser = sax.parser(true, { position: true })
  const entries: RegexNormalizeEntry[] = []
  const open: string[] = []
  let texts = new Map<string, string>()
  let line = 0
  const here = (): number => parser.line + 1
  parser.onerror = error => {
    throw ruleError(file, here(), `no XML: ${error.message.split('\n')[0] ?? ''}`)
  }
  parser.onopentag = ({ name }) => {
    if (open.length === 0 && name !== 'regex-normalize') throw ruleError(file, here(), `<regex-normalize> wanted, found <${name}>`)
    open.push(name)
    if (name === 'regex') {
      texts = new Map()
      line = here()
    }
    if (name === 'pattern') line = here()
  }
  const addText = (text: string): void => {
    const name = open.at(-1) ?? ''
    texts.set(name, (texts.get(name) ?? '') + text)
  }
  parser.ontext = addText
  parser.oncdata = addText
  parser.onclosetag = name => {
    open.pop()
    if (name !== 'regex') return
    const pattern = texts.get('pattern') ?? ''
    if (pattern === '') throw ruleError(file, line, '<regex> without a <pattern>')
    entries.push({ pattern, substitution: texts.get('substitution') ?? '', line })
  }
  parser.write(file.text.replace(/^\ufeff/, '')).close()
  return entries
}
