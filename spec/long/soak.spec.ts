import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type SoakSample, soak, writeSoak } from '../bench/soak.js'
import { runCli } from '../support/cli.js'
import { useTempFolders } from '../support/temp-folder.js'

/**
 * An hour, unless MILLRACE_SOAK_MINUTES says less; in a few minutes nothing has become steady, so that bounds are looked at from ten on. The graph and
 * its figures go to MILLRACE_SOAK_OUT.
 */
const minutes = Number(process.env.MILLRACE_SOAK_MINUTES ?? 60)
const leastMinutes = 10

describe(`a continuous crawl of ${minutes} minutes`, () => {
  const newFolder = useTempFolders()

  it('keeps its memory, open files and rate, and leaves what doctor finds sound', async () => {
    const folder = newFolder()
    const report = await soak(folder, minutes)
    writeSoak(process.env.MILLRACE_SOAK_OUT ?? join(tmpdir(), 'millrace-soak'), report)
    const checked = await runCli(['doctor', join(folder, 'crawl')], { timeoutMs: 600_000 })
    expect(checked.status, checked.stdout + checked.stderr).to.equal(0)
    const { server, totals } = report
    expect(server.repeats, 'pages asked for twice').to.equal(0)
    expect(totals.fetched).to.be.within(server.pages, server.pages + server.frontRequests)
    expect(report.peakMB).to.be.below(512)
    if (minutes >= leastMinutes) expectSteady(report.samples)
  })
})

function expectSteady(samples: readonly SoakSample[]): void {
  const meanOf = (field: keyof SoakSample, third: number): number => {
    const part = samples.slice((samples.length * (third - 1)) / 3, (samples.length * third) / 3)
    return part.reduce((sum, sample) => sum + sample[field], 0) / part.length
  }
  const growthOf = (field: keyof SoakSample): number => meanOf(field, 3) / meanOf(field, 2)
  expect(growthOf('residentMB'), 'memory, last third to middle').to.be.within(0.9, 1.1)
  expect(growthOf('openFiles'), 'open files, last third to middle').to.be.within(0.9, 1.1)
  expect(growthOf('pagesPerS'), 'pages/s, last third to middle').to.be.at.least(0.95)
}
