import { CrawlError } from '../errors/crawl-error.js'

/** A file of rules, read. */
export interface RuleFile {
  /** Name for messages and decisions. */
  readonly name: string
  readonly text: string
}

/** A line that holds something. */
export interface RuleLine {
  readonly number: number
  readonly text: string
}

/** All lines of a file, without their ends; a byte order mark at the start is no part of the first. */
export function linesOf({ text }: RuleFile): RuleLine[] {
  const clean = text.startsWith('\ufeff') ? text.slice(1) : text
  return clean.split(/\r\n|\n|\r/).map((line, index) => ({ number: index + 1, text: line }))
}

/** Lines that are neither blank nor comments, trimmed. */
export function ruleLinesOf(file: RuleFile): RuleLine[] {
  return linesOf(file)
    .map(line => ({ ...line, text: line.text.trim() }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'))
}

/** A rule that cannot be used. */
export function ruleError(file: RuleFile, line: number, reason: string): CrawlError {
  return new CrawlError('URL_RULE_INVALID', `${file.name}:${line}: ${reason}`)
}
