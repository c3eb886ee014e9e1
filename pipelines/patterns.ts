import { CrawlError, messageOf } from '../lib/errors/crawl-error.js'
import { JavaPattern } from '../lib/url/regex/java-pattern.js'

/** Compiles a pattern that an option holds: Java's dialect, find semantics, in linear time or within a bound. A text that exceeds the bound
 *  does not match. @throws {CrawlError} USAGE with the reason */
export function compilePattern(pattern: string): (text: string) => boolean {
  let compiled: JavaPattern
  try {
    compiled = new JavaPattern(pattern)
  } catch (cause) {
    throw new CrawlError('USAGE', `the pattern ${pattern} cannot be used: ${messageOf(cause)}`, { cause })
  }
  return text => {
    try {
      return compiled.test(text)
    } catch {
      return false // the bound on steps: such a pattern does not match
    }
  }
}
