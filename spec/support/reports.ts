import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sharedRoot } from './paths.js'

/** A case of `reports/reports.jsonl`, as its README describes it. */
export interface ReportCase {
  readonly id: string
  readonly kind: string
  readonly summary: string
  readonly input: string
  readonly expected: string
  readonly server?: readonly ReportRoute[]
}

export interface ReportPart {
  readonly text: string
  readonly times?: number
  readonly latin1?: boolean
}

export interface ReportRoute {
  readonly path: string
  readonly host?: 'A' | 'B' | 'C'
  readonly nth?: number
  readonly ifHeader?: Readonly<Record<string, boolean | string>>
  readonly status?: number
  readonly headers?: readonly (readonly [string, string])[]
  readonly body?: string
  readonly bodyBase64?: string
  readonly parts?: readonly ReportPart[]
  readonly raw?: string
  readonly rawParts?: readonly ReportPart[]
  readonly behaviour?: string
}

/** The cases by id, or undefined where the project stands without the shared folder. */
export function readReports(): ReadonlyMap<string, ReportCase> | undefined {
  if (sharedRoot === undefined) return undefined
  const lines = readFileSync(join(sharedRoot, 'reports', 'reports.jsonl'), 'utf8')
    .trim()
    .split('\n')
  return new Map(lines.map(line => JSON.parse(line) as ReportCase).map(report => [report.id, report])) // test data, documented in its README
}
