import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { checkWarc } from '../../../lib/warc/check-warc.js'
import { type RunningCli, startCli } from '../../support/cli.js'
import { describeReport, type ReportPlay } from '../../support/play-report.js'
import { witnessRecords } from '../../warc/warc-witness.js'

const pages = 100

function contentFiles(folder: string): string[] {
  const segments = join(folder, 'crawl', 'segments')
  return readdirSync(segments).flatMap(segment =>
    readdirSync(join(segments, segment))
      .filter(name => name.endsWith('.warc.gz'))
      .map(name => join(segments, segment, name)),
  )
}

/** What is wrong with a file: nothing if it unpacks to the end and each member is one whole record. */
async function faultsOf(file: string): Promise<string[]> {
  const faults: string[] = []
  for await (const { error } of checkWarc(file)) if (error !== null) faults.push(error)
  try {
    gunzipSync(readFileSync(file))
  } catch (error) {
    faults.push(`gzip -t: ${error instanceof Error ? error.message : ''}`)
  }
  return faults
}

describeReport('R052', ['crawl'], play => {
  const settings = ['fetcher.server.delay=0', 'http.agent.name=testbot', 'fetcher.threads.per.queue=20', 'millrace.warc.max.file.bytes=20000']
  const args = ['crawl', 'crawl', '--seeds', 'seeds.txt', '--rounds', '1', '--rules', 'accept-all.txt', '--allow-address', 'loopback']
  const command = [...args, ...settings.flatMap(pair => ['-D', pair])]

  /** Starts the crawl, or goes on with it, and stops it when so many more pages were asked for. */
  async function runUntil({ server, folder }: ReportPlay, more: number, stop: (running: RunningCli) => void): Promise<number | null> {
    const wanted = server().requests.length + more
    const running = startCli(command, { cwd: folder() })
    let isEnded = false
    const ended = running.result.finally(() => {
      isEnded = true
    })
    while (server().requests.length < wanted && !isEnded) await delay(5)
    stop(running)
    return (await ended).status
  }

  it('leaves whole records after SIGTERM, two SIGINTs and kill -9, and a response for each page in the end', async function stopAndGoOn() {
    this.timeout(60_000)
    const urls = Array.from({ length: pages }, (_, index) => play.server().fill(`{A}/page/${index}`))
    writeFileSync(join(play.folder(), 'seeds.txt'), `${urls.join('\n')}\n`)

    expect(await runUntil(play, 20, ({ kill }) => kill('SIGTERM'))).to.equal(0)
    for (const file of contentFiles(play.folder())) expect(await faultsOf(file), `${file} after SIGTERM`).to.deep.equal([])

    await runUntil(play, 20, ({ kill }) => {
      kill('SIGINT')
      kill('SIGINT')
    })
    expect(
      (await Promise.all(contentFiles(play.folder()).map(faultsOf))).filter(faults => faults.length > 0).length,
      'after two SIGINTs',
    ).to.be.at.most(1)

    await runUntil(play, 20, ({ kill }) => kill('SIGKILL'))
    const torn = (await Promise.all(contentFiles(play.folder()).map(async file => ({ file, faults: await faultsOf(file) })))).filter(
      ({ faults }) => faults.length > 0,
    )
    expect(torn.length, 'after kill -9').to.be.at.most(1)

    const before = new Set(contentFiles(play.folder()))
    expect((await startCli(command, { cwd: play.folder() }).result).status).to.equal(0)
    const files = contentFiles(play.folder())
    expect(files.filter(file => !before.has(file)).length, 'files of the last run').to.be.above(0)
    await expectEachPage(files, urls)
  })
})

/** Each page has a response; heads and bodies fit each other. */
async function expectEachPage(files: readonly string[], urls: readonly string[]): Promise<void> {
  const responses = new Set<string>()
  for (const file of files) {
    expect(await faultsOf(file), file).to.deep.equal([])
    for (const { type, uri, status, httpFields, payload } of await witnessRecords(readFileSync(file))) {
      if (type !== 'response' || !urls.includes(uri ?? '')) continue
      responses.add(uri ?? '')
      const fields = Object.fromEntries(httpFields.map(([name, value]) => [name.toLowerCase(), value]))
      expect(status).to.equal(200)
      expect(payload.length).to.equal(20_000)
      expect(fields['transfer-encoding']).to.equal(undefined)
      expect(fields['x-crawler-transfer-encoding']).to.equal('chunked')
      expect(fields['content-length']).to.equal('20000')
    }
  }
  expect([...responses].sort()).to.deep.equal([...urls].sort())
}
