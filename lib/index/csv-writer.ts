import type { IndexDocument } from './document.js'

/** Documents as CSV (RFC 4180) with fixed columns; several values of a field are joined by `|`. */
export function csvHeader(columns: readonly string[]): string {
  return `${columns.map(quoted).join(',')}\r\n`
}

export function csvRow({ fields }: IndexDocument, columns: readonly string[]): string {
  return `${columns.map(column => quoted(text(Object.hasOwn(fields, column) ? fields[column] : undefined))).join(',')}\r\n`
}

function text(value: IndexDocument['fields'][string] | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'object' ? value.join('|') : String(value)
}

function quoted(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}

/** Columns of `--format csv` unless others are named (Nutch's indexer-csv). */
export const defaultColumns: readonly string[] = ['id', 'title', 'content']
