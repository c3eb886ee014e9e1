import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { projectRoot } from '../support/paths.js'
import { machineLine, thisMachine } from './machine.js'
import { measures } from './measures.js'
import { reportMarkdown, withFigures } from './report/markdown.js'
import { reportSvg } from './report/svg.js'
import { fullSizes, quickSizes } from './sizes.js'
import { type Report, runSuite } from './suite.js'

const usage = `Usage: npm run bench -- [options]

  --only NAME,…   only these measures: ${measures.map(({ name }) => name).join(', ')}
  --rounds N      rounds of each, of which medians are taken (default: 3)
  --quick         small sizes, one round: under a minute, no targets
  --peers         also run other crawlers on the same site in the same run, those that are installed
  --crawlee DIR   folder in which Crawlee is installed (npm i crawlee@3), for --peers
  --cache DIR     where made sites and databases are kept between runs; some GB (default: in the system's temporary folder)
  --out DIR       write bench.json, bench.svg and bench.md there
  --readme        write the table into spec/bench/README.md
`

const say = (line: string): void => void process.stderr.write(`${line}\n`)

/** @returns the exit status: 0, 2 for wrong use, 3 if a measure failed */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      rounds: { type: 'string' },
      quick: { type: 'boolean' },
      peers: { type: 'boolean' },
      crawlee: { type: 'string' },
      cache: { type: 'string' },
      out: { type: 'string' },
      readme: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) {
    process.stdout.write(usage)
    return 0
  }
  const rounds = Number(values.rounds ?? (values.quick ? 1 : 3))
  if (!Number.isInteger(rounds) || rounds < 1) throw new TypeError('--rounds wants a whole number from 1 on')
  say(machineLine(thisMachine()))
  const report = await runSuite({
    measures: chosen(values.only),
    rounds,
    sizes: values.quick ? quickSizes : fullSizes,
    hasPeers: values.peers ?? false,
    crawleeFolder: values.crawlee,
    cacheFolder: values.cache,
    say,
  })
  write(report, values.out, values.readme ?? false)
  return report.measures.some(({ failed }) => failed !== undefined) ? 3 : 0
}

/** @throws {TypeError} naming what is no measure */
function chosen(only: string | undefined): typeof measures {
  if (only === undefined) return measures
  const names = only.split(',')
  const unknown = names.filter(name => !measures.some(measure => measure.name === name))
  if (unknown.length > 0) throw new TypeError(`no such measure: ${unknown.join(', ')}; there are ${measures.map(({ name }) => name).join(', ')}`)
  return measures.filter(({ name }) => names.includes(name))
}

function write(report: Report, folder: string | undefined, intoReadme: boolean): void {
  const markdown = reportMarkdown(report)
  process.stdout.write(markdown)
  if (folder !== undefined) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'bench.json'), `${JSON.stringify(report, undefined, 2)}\n`)
    writeFileSync(join(folder, 'bench.svg'), reportSvg(report))
    writeFileSync(join(folder, 'bench.md'), markdown)
  }
  const readme = join(projectRoot, 'spec/bench/README.md')
  if (intoReadme) writeFileSync(readme, withFigures(readFileSync(readme, 'utf8'), markdown))
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130)) // which ends the processes that were started

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof TypeError)) throw error
  say(`bench: ${error.message}\n\n${usage}`)
  process.exitCode = 2
}
