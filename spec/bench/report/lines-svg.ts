import { shortNumber } from '../suite.js'
import { svgPage, svgText } from './svg-parts.js'

/** Values over time, drawn under a title with an axis of their own. */
export interface Panel {
  readonly title: string
  /** What was seen at each of the times. */
  readonly values: readonly number[]
}

const width = 1000
const left = 90
const plotWidth = 880
const plotHeight = 110
const panelHeight = plotHeight + 55

/** Panels one below the other over one axis of minutes; each begins at zero, and is marked with its largest value. */
export function linesSvg(title: string, minutes: readonly number[], panels: readonly Panel[]): string {
  const end = Math.max(...minutes, 0)
  const parts = [svgText(20, 30, title, 'font-weight="bold"')]
  for (const [index, panel] of panels.entries()) parts.push(...drawPanel(panel, minutes, end, 50 + index * panelHeight))
  return svgPage(width, 70 + panels.length * panelHeight, parts)
}

function drawPanel({ title, values }: Panel, minutes: readonly number[], end: number, top: number): string[] {
  const largest = Math.max(...values, 0)
  const bottom = top + 20 + plotHeight
  const x = (minute: number): string => (left + (minute / (end > 0 ? end : 1)) * plotWidth).toFixed(1)
  const y = (value: number): string => (bottom - (value / (largest > 0 ? largest : 1)) * plotHeight).toFixed(1)
  const points = values.map((value, index) => `${x(minutes[index] ?? 0)},${y(value)}`)
  return [
    svgText(left, top + 12, title),
    `<path d="M${left} ${bottom - plotHeight}h${plotWidth}M${left} ${bottom}h${plotWidth}" stroke="#ccc" fill="none"/>`,
    svgText(left - 8, bottom - plotHeight + 5, shortNumber(largest), 'text-anchor="end"'),
    svgText(left - 8, bottom + 5, '0', 'text-anchor="end"'),
    ...thirds.map(part => `<path d="M${x(end * part)} ${bottom - plotHeight}v${plotHeight}" stroke="#ddd" stroke-dasharray="4"/>`),
    ...[0, ...thirds, 1].map(part =>
      svgText(Number(x(end * part)), bottom + 18, `${shortNumber(end * part)} min`, 'text-anchor="middle" fill="#666"'),
    ),
    `<polyline points="${points.join(' ')}" fill="none" stroke="#2f7d5b" stroke-width="1.5"/>`,
  ]
}

const thirds = [1 / 3, 2 / 3]
