import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type CliResult, runCli } from '../support/cli.js'
import { killAfter, randomNumbers } from '../support/kill.js'
import { type SpecServer, startServer } from '../support/server.js'
import { useTempFolders } from '../support/temp-folder.js'
import { differences, readAllEntries } from '../support/test-db.js'

const pages = 60
/** Small batches and little memory: hundreds of commits, and runs on disk, for a kill to meet. */
const small = ['millrace.merge.batch=3', 'millrace.merge.memory=65536', 'fetcher.server.delay=0', 'http.agent.name=testbot', 'millrace.workers=0']
const common = ['--now', '2026-01-31T12:00:00Z', ...small.flatMap(pair => ['-D', pair])]

describe('a job that is killed and run again', function () {
  this.timeout(60_000)
  const newFolder = useTempFolders()
  const random = randomNumbers(Date.now())
  let server: SpecServer
  let folder: string
  /** What each job starts from. */
  const bases: Record<'inject' | 'generate' | 'updatedb', string> = { inject: '', generate: '', updatedb: '' }
  let seedFile: string

  const linksOf = (number: number): string =>
    Array.from({ length: 25 }, (_, index) => `<a href="/p${(number * 7 + index * 13) % 900}">l${index}</a>`).join('\n')

  async function run(args: readonly string[]): Promise<CliResult> {
    const result = await runCli(args)
    expect(result.status, `${args[0]}: ${result.stderr}`).to.equal(0)
    return result
  }

  before(async () => {
    server = await startServer({
      routes: {
        '/p*': (request, response) => {
          response.setHeader('content-type', 'text/html')
          response.end(`<title>t</title>${linksOf(Number(request.url?.slice(2)))}`)
        },
      },
    })
    folder = newFolder()
    seedFile = join(folder, 'seeds.txt')
    const seeds = Array.from({ length: 600 }, (_, index) => `http://h${index % 40}.example/s${index}\tnutch.score=${index % 9}`)
    writeFileSync(seedFile, `${seeds.join('\n')}\n`)
    const own = Array.from({ length: pages }, (_, index) => `${server.origin()}/p${index}`)
    writeFileSync(join(folder, 'own.txt'), `${own.join('\n')}\n`)
    writeFileSync(join(folder, 'rules.txt'), '+.\n')
    for (const name of ['inject', 'generate', 'updatedb'] as const) bases[name] = join(folder, name)
    await run(['inject', bases.generate, seedFile, ...common])
    const fetched = bases.updatedb
    const rules = ['--rules', join(folder, 'rules.txt')]
    await run(['inject', fetched, join(folder, 'own.txt'), ...rules, ...common])
    await run(['generate', fetched, ...rules, ...common])
    await run(['fetch', fetched, '--allow-address', 'loopback', '--parse', ...rules, ...common])
  })
  after(() => server.close())

  function copyOf(name: keyof typeof bases): string {
    const copy = join(newFolder(), 'crawl')
    if (name !== 'inject') cpSync(bases[name], copy, { recursive: true })
    return copy
  }

  /** Fetch lists of a folder, byte for byte. */
  function listsOf(crawl: string): string[] {
    const segments = join(crawl, 'segments')
    return readdirSync(segments).map(name => `${name} ${readFileSync(join(segments, name, 'crawl_generate.ndjson'), 'utf8')}`)
  }

  for (const name of ['inject', 'generate', 'updatedb'] as const) {
    it(`${name} leaves the db that it leaves undisturbed, byte for byte`, async () => {
      const argsOn = (crawl: string): string[] => [name, crawl, ...(name === 'inject' ? [seedFile] : []), ...common]
      const whole = copyOf(name)
      const { elapsedMs } = await run(argsOn(whole))
      const expected = await readAllEntries(join(whole, 'crawldb'))
      expect(expected.size).to.be.above(500)
      let kills = 0
      while (kills < 10) {
        const crawl = copyOf(name)
        const delays: number[] = []
        for (let times = 2 + Math.floor(random() * 3); times > 0; times--) {
          delays.push(elapsedMs * (0.25 + 0.75 * random()))
          if (await killAfter(argsOn(crawl), delays.at(-1) as number)) kills++
        }
        const title = `killed after ${delays.map(Math.round).join(', ')} ms`
        const last = await runCli(argsOn(crawl))
        expect(last.status, `${title}: ${last.stderr}`).to.be.oneOf(name === 'inject' ? [0] : [0, 1])
        expect(differences(await readAllEntries(join(crawl, 'crawldb')), expected), title).to.deep.equal([])
        if (name === 'generate') expect(listsOf(crawl), title).to.deep.equal(listsOf(whole))
        expect(
          readdirSync(crawl).filter(entry => entry === 'holder.json'),
          title,
        ).to.deep.equal([])
      }
    })
  }
})
