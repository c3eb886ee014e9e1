import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import sax from 'sax'
import { figure, type Measure, Skipped } from '../bench/measure.js'
import { measures } from '../bench/measures.js'
import { linesSvg } from '../bench/report/lines-svg.js'
import { reportMarkdown, withFigures } from '../bench/report/markdown.js'
import { reportSvg } from '../bench/report/svg.js'
import { tinySizes } from '../bench/sizes.js'
import { median, type Report, runSuite, shortNumber, summarize } from '../bench/suite.js'
import { runCli } from '../support/cli.js'
import { projectRoot } from '../support/paths.js'
import { useTempFolders } from '../support/temp-folder.js'

const runner = fileURLToPath(new URL('../bench/run.js', import.meta.url))

describe('benchmark suite', () => {
  const tempFolder = useTempFolders()

  describe('at the least sizes', function atLeastSizes() {
    this.timeout(60_000)
    let cacheFolder: string
    before(() => {
      cacheFolder = tempFolder()
    })

    for (const measure of measures)
      it(`measures ${measure.name}`, async () => {
        const { measures: reports } = await runSuite({ measures: [measure], rounds: 1, sizes: tinySizes, cacheFolder })
        const [report] = reports
        expect(report).to.include({ name: measure.name }).and.not.have.any.keys('failed', 'skipped')
        expect(report?.figures).to.not.have.length(0)
        for (const { name, unit, median: value } of report?.figures ?? []) {
          expect(value, name).to.satisfy(Number.isFinite).and.be.above(0)
          expect(unit, name).to.not.equal('')
        }
      })
  })

  it('has the median of all rounds, the largest peak, and says whether the target is met', () => {
    const seen = [3, 1, 10].map(value => [{ name: 'a', unit: 's', value, target: { atMost: 3 }, peakBytes: value }])
    expect(summarize(seen)).to.deep.equal([
      { name: 'a', unit: 's', median: 3, rounds: [3, 1, 10], target: { atMost: 3 }, isMet: true, peakBytes: 10 },
    ])
    expect(summarize([[{ name: 'a', unit: 's', value: 2, target: { atLeast: 3 } }]])[0]?.isMet).to.equal(false)
    expect(median([4, 1, 2, 3])).to.equal(2.5)
  })

  it('shows no target where sizes are not those it is set for', () => {
    const wanted = { name: 'a', value: 1, unit: 's', target: { atMost: 1 } }
    expect(figure({ sizes: tinySizes }, wanted)).to.deep.equal({ name: 'a', value: 1, unit: 's' })
    expect(figure({ sizes: { ...tinySizes, isFull: true } }, wanted)).to.deep.equal(wanted)
  })

  for (const { value, text } of [
    { value: 0.123_45, text: '0.123' },
    { value: 99.96, text: '100' },
    { value: 1234.5, text: '1,235' },
    { value: 120_000, text: '120,000' },
  ])
    it(`prints ${value} as ${text}`, () => {
      expect(shortNumber(value)).to.equal(text)
    })

  describe('reports', () => {
    let report: Report
    before(async () => {
      report = await runSuite({ measures: [ok, failing, skipped], rounds: 2, sizes: { ...tinySizes, isFull: true }, cacheFolder: tempFolder() })
    })

    it('go on after a measure that fails, and one that is skipped', () => {
      const [first, second, third] = report.measures
      expect(first?.figures.map(({ name, rounds }) => [name, rounds.length])).to.deep.equal([
        ['a < b & "c" | d', 2],
        ['slow', 2],
      ])
      expect(second).to.include({ failed: 'no luck' })
      expect(third).to.include({ skipped: 'no such thing here' })
      expect(JSON.parse(JSON.stringify(report))).to.deep.equal(report)
    })

    it('are a well-formed SVG with a bar for each figure', () => {
      const { names, texts } = readSvg(reportSvg(report))
      expect(names[0]).to.equal('svg')
      expect(names.filter(name => name === 'rect')).to.have.length(1 + 2)
      expect(texts).to.include('a < b & "c" | d').and.to.include('no luck')
    })

    it('over time are a well-formed SVG with a line for each panel, on one scale of minutes', () => {
      const panels = ['memory', 'a < b'].map(title => ({ title, values: [0, 5, 10] }))
      const { names, texts } = readSvg(linesSvg('an hour', [0, 30, 60], panels))
      expect(names.filter(name => name === 'polyline')).to.have.length(2)
      expect(texts).to.include.members(['an hour', 'memory', 'a < b', '60 min'])
      expect(linesSvg('', [0, 30, 60], panels).match(/points="([^"]*)"/)?.[1]).to.match(/^90\.0,\S+ 530\.0,\S+ 970\.0,\S+$/)
    })

    it('are a Markdown table of equal rows', () => {
      const rows = reportMarkdown(report)
        .split('\n')
        .filter(line => line.startsWith('|'))
      expect(rows).to.have.length(2 + 2 + 2)
      for (const row of rows) expect(row.replaceAll('\\|', '').split('|'), row).to.have.length(10)
      expect(rows[3]).to.contain('≤ 1 s').and.to.contain('**no**')
    })

    it('go between the markers of the page, and stay there', () => {
      const page = readFileSync(join(projectRoot, 'spec/bench/README.md'), 'utf8')
      const once = withFigures(page, 'FIRST\n')
      expect(once).to.contain('FIRST')
      expect(withFigures(once, 'SECOND\n')).to.equal(withFigures(page, 'SECOND\n'))
      expect(() => withFigures('nothing', '')).to.throw('markers')
    })
  })

  describe('command', function command() {
    this.timeout(60_000)

    it('refuses what is no measure', async () => {
      const { status, stderr } = await runCli(['--only', 'crawl,speed'], { program: runner })
      expect(status).to.equal(2)
      expect(stderr).to.contain('no such measure: speed')
    })

    it('writes JSON, SVG and Markdown', async () => {
      const out = join(tempFolder(), 'out')
      const args = ['--only', 'urls', '--quick', '--out', out, '--cache', tempFolder()]
      const { status, stdout, stderr } = await runCli(args, { program: runner })
      expect(status, stderr).to.equal(0)
      expect(readFileSync(join(out, 'bench.md'), 'utf8')).to.equal(stdout)
      expect(existsSync(join(out, 'bench.svg'))).to.equal(true)
      const report = JSON.parse(readFileSync(join(out, 'bench.json'), 'utf8')) as Report // written by the run
      expect(report.measures.map(({ name }) => name)).to.deep.equal(['urls'])
      expect(report).to.include({ rounds: 1, sizes: 'reduced' })
    })
  })
})

function readSvg(svg: string): { readonly names: string[]; readonly texts: string[] } {
  const parser = sax.parser(true)
  const names: string[] = []
  const texts: string[] = []
  parser.onopentag = ({ name }) => void names.push(name)
  parser.ontext = text => void texts.push(text)
  parser.onerror = error => {
    throw error
  }
  parser.write(svg).close()
  return { names, texts }
}

const ok: Measure = {
  name: 'ok',
  title: () => 'Works',
  round: async bench => [
    { name: 'a < b & "c" | d', value: 5, unit: 'pages/s', notes: { seen: 1 } },
    figure(bench, { name: 'slow', value: 2, unit: 's', target: { atMost: 1 }, peakBytes: 1e6, cpuMs: 3 }),
  ],
}

const failing: Measure = {
  name: 'failing',
  title: () => 'Fails',
  round: async () => {
    throw new Error('no luck')
  },
}

const skipped: Measure = {
  name: 'skipped',
  title: () => 'Cannot be made',
  round: async () => {
    throw new Skipped('no such thing here')
  },
}
