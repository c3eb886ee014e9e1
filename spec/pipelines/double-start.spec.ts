import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { startCli } from '../support/cli.js'
import { type CommandRun, runCommand } from '../support/run-command.js'
import { type SpecServer, startServer } from '../support/server.js'
import { acceptAll, linesOf } from '../support/small-site.js'
import { useTempFolders } from '../support/temp-folder.js'

// Two processes that wrote to one segment overwrote each other's content: every page counted as fetched, and none could be read.
describe('a step that is started twice', function () {
  this.timeout(60_000)
  const newFolder = useTempFolders()
  const pages = 12
  let server: SpecServer
  let release: () => void = () => undefined
  let gate: Promise<void> = Promise.resolve()
  before(async () => {
    server = await startServer({
      routes: {
        '/p*': async (request, response) => {
          await gate
          response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>${request.url}</title>`)
        },
      },
    })
  })
  after(() => server.close())

  const holdAnswers = (): void => {
    gate = new Promise(resolve => {
      release = resolve
    })
  }
  const args = ['--allow-address', 'loopback', '-D', 'fetcher.server.delay=0', ...acceptAll]
  const fetchIt = (folder: string, ...more: readonly string[]): Promise<CommandRun> => runCommand(['fetch', folder, ...more, ...args])
  const seeds = (): string => Array.from({ length: pages }, (_, index) => `${server.origin()}/p${index}\n`).join('')
  const asked = (): Promise<void> =>
    new Promise(resolve => {
      const look = (): unknown => (server.requests.some(({ target }) => target.startsWith('/p')) ? resolve() : setImmediate(look))
      look()
    })
  const pagesAsked = (): string[] => server.requests.map(({ target }) => target).filter(target => target.startsWith('/p'))

  async function generated(lists = 1): Promise<{ readonly folder: string; readonly segment: string }> {
    const folder = newFolder()
    ;(server.requests as unknown[]).length = 0 // the log of this test only
    await runCommand(['inject', folder, '-', ...acceptAll], { stdin: seeds() })
    let segment = ''
    for (let list = 0; list < lists; list++)
      [segment = ''] = linesOf(await runCommand(['generate', folder, ...acceptAll, '--top-n', String(pages / lists)]))
    return { folder, segment }
  }

  async function readablePages(folder: string): Promise<unknown> {
    const { parsed } = (await runCommand(['parse', folder])).json<{ parsed: number }>()
    await runCommand(['updatedb', folder])
    const listed = linesOf(await runCommand(['readseg', folder, '--list']))
      .at(-1)
      ?.split('\t')
    return { parsed, withParse: Number(listed?.at(-1)) }
  }

  it('fetches a segment once: the second finds nothing to do, or says who is at work', async () => {
    const { folder, segment } = await generated()
    holdAnswers()
    const first = fetchIt(folder)
    await asked()
    expect((await fetchIt(folder)).status).to.equal(1)
    const error: unknown = await fetchIt(folder, segment).catch(thrown => thrown)
    expect(error).to.include({ code: 'SEGMENT_LOCKED' })
    release()
    expect((await first).json()).to.include({ pages })
    expect(pagesAsked().sort()).to.deep.equal([...new Set(pagesAsked())].sort())
    expect(await readablePages(folder)).to.deep.equal({ parsed: pages, withParse: pages })
  })

  it('fetches the next list where the first is being fetched', async () => {
    const { folder, segment } = await generated(2)
    holdAnswers()
    const first = fetchIt(folder)
    await asked()
    const second = fetchIt(folder)
    release()
    const reports = (await Promise.all([first, second])).map(run => run.json<{ segment: string; pages: number }>())
    expect(reports.map(report => report.pages)).to.deep.equal([pages / 2, pages / 2])
    expect(reports[1]?.segment).to.equal(segment)
  })

  it('leaves the segment of a running crawl alone', async () => {
    const folder = newFolder()
    ;(server.requests as unknown[]).length = 0
    await runCommand(['inject', folder, '-', ...acceptAll], { stdin: seeds() })
    holdAnswers()
    const crawl = startCli(['crawl', folder, '--until-idle', ...args])
    await asked()
    expect((await fetchIt(folder)).status).to.equal(1)
    expect((await runCommand(['parse', folder])).status).to.equal(1)
    release()
    const { status, stdout } = await crawl.result
    expect({ status, ...JSON.parse(stdout) }).to.include({ status: 0, fetched: pages })
    expect(pagesAsked().length).to.equal(pages)
  })

  it('does not wait for a process that was killed', async () => {
    const { folder, segment } = await generated()
    holdAnswers()
    const killed = startCli(['fetch', folder, ...args])
    await asked()
    killed.kill()
    await killed.result
    release()
    expect((await fetchIt(folder)).json()).to.include({ segment, pages })
  })

  it('does not wait for a torn leftover of one', async () => {
    const { folder, segment } = await generated()
    const lock = join(folder, 'spool', `segment-${segment}.lock`)
    mkdirSync(lock, { recursive: true })
    writeFileSync(join(lock, 'CURRENT'), '')
    expect((await fetchIt(folder)).json()).to.include({ segment, pages })
    expect(existsSync(lock)).to.equal(false)
  })
})
