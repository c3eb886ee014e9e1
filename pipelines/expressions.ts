import { datumVariable } from '../lib/crawldb/rules/datum-variables.js'
import { compileExpression, type Expression, type VariableOf } from '../lib/crawldb/rules/expression.js'
import type { CrawlDatum } from '../lib/record/records.js'
import { compilePattern } from './patterns.js'

/** Compiles an expression of an option; patterns in it must match a whole text, as in JEXL. @throws {CrawlError} USAGE */
export function expressionOver<Subject>(text: string, variableOf: VariableOf<Subject>): Expression<Subject> {
  return compileExpression(text, { variableOf, compilePattern })
}

/** Whether an expression over a record holds (Nutch: -expr). @throws {CrawlError} USAGE */
export function recordTest(text: string): (datum: CrawlDatum) => boolean {
  const expression = expressionOver(text, datumVariable)
  return datum => expression.test(datum)
}
