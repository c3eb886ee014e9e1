import { machineLine } from '../machine.js'
import { type FigureReport, type MeasureReport, type Report, shortNumber } from '../suite.js'
import { targetText } from './markdown.js'
import { svgPage, svgText } from './svg-parts.js'

const width = 1000
const barsLeft = 360
const barsWidth = 400
const rowHeight = 22
const titleHeight = 34
const colours = { met: '#2f7d5b', missed: '#c2602d', other: '#5b7fa6' }

/** The run as a bar chart: within a measure, bars of one unit have one scale; a line marks the target. */
export function reportSvg(report: Report): string {
  const parts: string[] = []
  let y = 30
  parts.push(svgText(20, y, `Millrace: ${machineLine(report.machine)}`, 'font-weight="bold"'))
  y += 18
  parts.push(svgText(20, y, `${report.startedAt}, medians of ${report.rounds} rounds, ${report.sizes} sizes`, 'fill="#666"'))
  for (const measure of report.measures) {
    y += titleHeight
    parts.push(svgText(20, y, shortened(`${measure.name}: ${measure.title}`, 125), 'font-weight="bold"'))
    for (const line of rowsOf(measure)) {
      y += rowHeight
      parts.push(line(y))
    }
  }
  return svgPage(width, y + 20, parts)
}

function rowsOf({ figures, failed, skipped }: MeasureReport): ((y: number) => string)[] {
  const scales = new Map<string, number>()
  for (const figure of figures) scales.set(figure.unit, Math.max(scales.get(figure.unit) ?? 0, figure.median, targetOf(figure) ?? 0))
  const bars = figures.map(figure => (y: number) => bar(y, figure, scales.get(figure.unit) ?? 0))
  const trouble = failed ?? skipped
  return trouble === undefined ? bars : [...bars, y => svgText(40, y, shortened(trouble, 140), `fill="${colours.missed}"`)]
}

function targetOf({ target }: FigureReport): number | undefined {
  return target?.atLeast ?? target?.atMost
}

function bar(y: number, figure: FigureReport, scale: number): string {
  const { name, median, unit, target, isMet } = figure
  const length = (value: number): string => ((value / (scale > 0 ? scale : 1)) * barsWidth).toFixed(1)
  const colour = isMet === undefined ? colours.other : isMet ? colours.met : colours.missed
  const goal = targetOf(figure)
  const mark = goal === undefined ? '' : `<path d="M${(barsLeft + Number(length(goal))).toFixed(1)} ${y - 15}v20" stroke="#222" stroke-width="2"/>`
  const wanted = target === undefined ? '' : ` (${targetText(target)})`
  return [
    svgText(barsLeft - 10, y, shortened(name, 52), 'text-anchor="end"'),
    `<rect x="${barsLeft}" y="${y - 12}" width="${length(Number.isFinite(median) ? median : 0)}" height="15" fill="${colour}"/>`,
    mark,
    svgText(barsLeft + barsWidth + 10, y, `${shortNumber(median)} ${unit}${wanted}`),
  ].join('')
}

function shortened(line: string, maxChars: number): string {
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1)}…`
}
