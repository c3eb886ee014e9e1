import { CrawlError } from '../errors/crawl-error.js'

/** A text that rules are read from, with the name that messages call it by. */
export interface RuleText {
  readonly name: string
  readonly text: string
}

/** Reads one rule a line; empty lines and those that begin with `#` are skipped. `read` gives the rule, or a string that says what is wrong.
 *  @throws {CrawlError} CONFIG_INVALID naming every line that cannot be used */
export function readRuleLines<Rule extends object>({ name, text }: RuleText, read: (line: string) => Rule | string): Rule[] {
  const rules: Rule[] = []
  const problems: string[] = []
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    const rule = read(line)
    if (typeof rule === 'string') problems.push(`${name}:${index + 1}: ${rule}`)
    else rules.push(rule)
  }
  if (problems.length > 0) throw new CrawlError('CONFIG_INVALID', problems.join('\n'))
  return rules
}
