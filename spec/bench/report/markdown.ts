import { machineLine } from '../machine.js'
import type { Target } from '../measure.js'
import { type FigureReport, type MeasureReport, type Report, shortNumber } from '../suite.js'

/** The run as a Markdown table, one row for each figure. */
export function reportMarkdown(report: Report): string {
  const head = [
    `${machineLine(report.machine)}. ${report.startedAt.slice(0, 16).replace('T', ' ')} UTC, medians of ${report.rounds} rounds${report.sizes === 'full' ? '' : ', at reduced sizes'}.`,
    '',
    '| measure | figure | median | rounds | target | met | peak memory | CPU |',
    '|---|---|--:|---|---|---|--:|--:|',
  ]
  const loads = report.measures.map(({ name, loadBefore, loadAfter }) => `${name} ${loadBefore[0]} → ${loadAfter[0]}`)
  return [...head, ...report.measures.flatMap(rowsOf), '', `Load average over a minute, before and after: ${loads.join(', ')}.`, ''].join('\n')
}

function rowsOf(measure: MeasureReport): string[] {
  const rows = measure.figures.map((figure, index) => row([index === 0 ? `**${measure.name}** ${measure.title}` : '', ...cellsOf(figure)]))
  const trouble = measure.failed === undefined ? measure.skipped : `failed: ${measure.failed}`
  return trouble === undefined ? rows : [...rows, row([`**${measure.name}** ${measure.title}`, trouble, '', '', '', '', '', ''])]
}

function cellsOf({ name, unit, median, rounds, target, isMet, peakBytes, cpuMs, notes }: FigureReport): string[] {
  const details = Object.entries(notes ?? {}).map(([what, value]) => `${what}: ${typeof value === 'number' ? shortNumber(value) : value}`)
  return [
    details.length === 0 ? name : `${name} (${details.join('; ')})`,
    `${shortNumber(median)} ${unit}`,
    rounds.map(shortNumber).join(' · '),
    target === undefined ? '' : `${targetText(target)} ${unit}`,
    isMet === undefined ? '' : isMet ? 'yes' : '**no**',
    peakBytes === undefined ? '' : `${Math.round(peakBytes / 1_000_000)} MB`,
    cpuMs === undefined ? '' : `${(cpuMs / 1000).toFixed(1)} s`,
  ]
}

export function targetText({ atLeast, atMost }: Target): string {
  return atLeast === undefined ? `≤ ${shortNumber(atMost ?? 0)}` : `≥ ${shortNumber(atLeast)}`
}

function row(cells: readonly string[]): string {
  return `| ${cells.map(cell => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
}

const start = '<!-- figures: written by npm run bench -- --readme -->'
const end = '<!-- end of figures -->'

/** A page with what stands between the two markers replaced. @throws if it does not have them */
export function withFigures(page: string, markdown: string): string {
  const [from, to] = [page.indexOf(start), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`the page lacks the markers ${start} and ${end}`)
  return `${page.slice(0, from + start.length)}\n${markdown}${page.slice(to)}`
}
