import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { optionMarkdown } from '../pipelines/option-table.js'
import { millraceBin, runCli } from './support/cli.js'
import { projectRoot } from './support/paths.js'
import { type SpecServer, startServer } from './support/server.js'
import { withTempFolder } from './support/temp-folder.js'

const run = promisify(execFile)
const readme = await readFile(join(projectRoot, 'README.md'), 'utf8')

describe('README', () => {
  it('has the option table that the options give', () => {
    const found = /<!-- options: generated[^>]*-->\n([\s\S]*?)<!-- end of options -->/.exec(readme)?.[1]
    expect(found?.trim()).to.equal(optionMarkdown().trim())
  })

  it('lists every error code', async () => {
    const source = await readFile(join(projectRoot, 'lib/errors/crawl-error.ts'), 'utf8')
    const codes = [...source.matchAll(/^ {2}\| '([A-Z_]+)'/gm)].map(match => match[1] as string)
    expect(codes.length).to.be.greaterThan(20)
    for (const code of codes) expect(readme, code).to.contain(`\`${code}\``)
  })

  it('names only commands that there are', async () => {
    const { stdout } = await runCli(['--help'])
    const named = new Set([...readme.matchAll(/\bmillrace ([a-z][a-z-]*)/g)].map(match => match[1] as string))
    for (const name of named) if (!plainWords.includes(name)) expect(stdout, name).to.match(new RegExp(`^ +${name} `, 'm'))
  })

  describe('examples', () => {
    let server: SpecServer
    let options: string
    let complaints: string
    before(async function start() {
      this.timeout(60_000)
      complaints = await compileExamples()
      server = await startServer({
        routes: {
          '/robots.txt': { body: 'User-agent: *\nDisallow:\n', headers: { 'content-type': 'text/plain' } },
          '/a.html': {
            body: '<html><head><title>A page</title></head><body>one two <a href="/b.html">three</a></body></html>',
            headers: { 'content-type': 'text/html' },
          },
        },
      })
      options = JSON.stringify({ 'http.allow.address': 'loopback', 'fetcher.server.delay': 0 })
    })
    after(() => server.close())

    it('compile as a strict program of somebody else', () => {
      expect(complaints).to.equal('')
    })

    it('seeds', () =>
      withTempFolder(async folder => {
        await writeFile(join(folder, 'seeds.txt'), 'HTTP://Example.ORG:80/a/../b\nhttp://example.org/?q=1\nno url\n')
        await runExample('seeds', folder)
        const lines = (await readFile(join(folder, 'accepted.ndjson'), 'utf8')).trim().split('\n')
        expect(lines).to.have.length(1)
        expect(lines[0]).to.match(/^http:\/\/example\.org\/b\t\{"status":"injected",.*"metadata":\{"list":"spring"\}\}$/)
      }))

    it('own-parse', () =>
      withTempFolder(async folder => {
        const { stdout } = await runExample('own-parse', folder, [`${server.origin()}/a.html`], options)
        expect(stdout).to.equal(`${server.origin()}/a.html\t{"status":"fetch_success","words":5}\n`)
      }))

    it('warc-links and expression-fetch, on a crawl', () =>
      withTempFolder(async folder => {
        const crawl = join(folder, 'crawl')
        await runCli(['crawl', crawl, `${server.origin()}/a.html`, '--rounds', '1', '--allow-address', 'loopback', '-D', 'fetcher.server.delay=0'])
        const [segment] = (await runCli(['readseg', crawl, '--list', '--json'])).json<{ segment?: string; name?: string }>()
        const name = segment?.segment ?? segment?.name ?? ''
        const links = await runExample('warc-links', folder, [join(crawl, 'segments', name, 'content-00000.warc.gz')])
        expect(links.stdout).to.contain(`${server.origin()}/b.html\t{"from":"${server.origin()}/a.html","anchor":"three"}`)
        const fetched = await runExample('expression-fetch', folder, [crawl], options)
        expect(fetched.stdout).to.equal(`fetch_gone ${server.origin()}/b.html\n`)
      }))

    it('shell', function shell() {
      this.timeout(60_000)
      return withTempFolder(async folder => {
        await writeFile(join(folder, 'urls.txt'), `${server.origin()}/a.html\n`)
        await writeFile(join(folder, 'millrace'), `#!/bin/sh\nexec "${process.execPath}" "${millraceBin}" "$@"\n`, { mode: 0o755 })
        // Without jq on the machine the step that it stands in is left out of the pipe.
        const hasJq = await run('sh', ['-c', 'command -v jq']).then(
          () => true,
          () => false,
        )
        const script = hasJq ? exampleText('shell') : exampleText('shell').replace(/ \| jq .*$/m, ' > /dev/null')
        const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` }
        const { stdout } = await run('sh', ['-e', '-c', script], { cwd: folder, env })
        expect(stdout).to.match(new RegExp(`^${server.origin()}/a\\.html\t\\{"status":"db_fetched"`, 'm'))
        expect(stdout).to.match(new RegExp(`^${server.origin()}/b\\.html\t\\{"status":"db_unfetched"`, 'm'))
      })
    })
  })
})

/** Words that follow the name in running text. */
const plainWords = ['my-crawl']

function exampleText(name: string): string {
  const found = new RegExp(`<!-- example: ${name} -->\\n\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1]
  if (found === undefined) throw new Error(`README has no example ${name}`)
  return found
}

const examplesFolder = join(projectRoot, 'dist', 'readme-examples') // inside the package, so that `millrace` is this one

/** Compiles all examples in TypeScript, and the plugins that are checked by their comments, with the flags of a careful user. What the compiler says. */
async function compileExamples(): Promise<string> {
  await mkdir(examplesFolder, { recursive: true })
  for (const [, name, text = ''] of readme.matchAll(/<!-- example: (\S+) -->\n```ts\n([\s\S]*?)```/g))
    await writeFile(join(examplesFolder, `${name}.mts`), text)
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    module: 'nodenext',
    target: 'es2023',
    types: ['node'],
    allowJs: true,
    checkJs: true,
    rootDir: projectRoot,
    outDir: 'js',
  }
  const include = ['*.mts', join(projectRoot, 'fixtures', 'plugins', '*.mjs')]
  await writeFile(join(examplesFolder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }))
  const compiler = join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc')
  return run(process.execPath, [compiler, '-p', examplesFolder]).then(
    () => '',
    ({ stdout }: { readonly stdout: string }) => stdout,
  )
}

/** Runs a compiled example. */
function runExample(name: string, cwd: string, args: readonly string[] = [], options = '{}'): Promise<{ readonly stdout: string }> {
  const file = join(examplesFolder, 'js', 'dist', 'readme-examples', `${name}.mjs`)
  return run(process.execPath, [file, ...args], { cwd, env: { ...process.env, OPTIONS: options } })
}
