import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { checkWarc } from '../../lib/warc/check-warc.js'
import { runCli } from '../support/cli.js'
import { runCommand } from '../support/run-command.js'
import { runShell } from '../support/shell.js'
import { acceptAll, keysOf, linesOf, useSmallSite } from '../support/small-site.js'
import { failureOf } from '../support/stream-probe.js'
import { useTempFolders } from '../support/temp-folder.js'

const options = ['--allow-address', 'loopback', '-D', 'fetcher.server.delay=0', ...acceptAll]

describe('stages over lines', function () {
  this.timeout(30_000)
  const newFolder = useTempFolders()
  const site = useSmallSite()
  const fetchLines = (stdin: string, ...more: readonly string[]) => runCommand(['stage', 'fetch', ...options, ...more], { stdin })
  const parseLines = (stdin: string, ...more: readonly string[]) => runCommand(['stage', 'parse', ...acceptAll, ...more], { stdin })
  const jsonOf = (line = ''): Record<string, unknown> => JSON.parse(line.slice(line.indexOf('\t') + 1)) as Record<string, unknown> // a record's line

  it('fetch takes URLs, seeds and records, and gives outcomes with their answers', async () => {
    const home = `${site.server.origin()}/`
    const seed = `${home}near\tnutch.score=3\tlist=one`
    const record = linesOf(await runCommand(['normalize', `${home}missing`]))[0]
    const run = await fetchLines(`${home}\n${seed}\n${record}\n# comment\n\n`)
    const outcomes = Object.fromEntries(linesOf(run).map(line => [line.split('\t')[0], jsonOf(line)]))
    expect(Object.keys(outcomes).sort()).to.deep.equal([home, `${home}missing`, `${home}near`])
    expect(outcomes[home]).to.include({ status: 'fetch_success', httpStatus: 200 }).and.to.have.property('answer')
    expect(outcomes[`${home}near`]?.datum).to.deep.include({ score: 3, metadata: { list: 'one' } })
    expect(outcomes[`${home}missing`]).to.include({ status: 'fetch_gone', httpStatus: 404 })
  })

  it('fetch gives what the job gives for the same list; parse too, with content in lines or in WARC files', async () => {
    const [folder, warc] = [newFolder(), newFolder()]
    await runCommand(['inject', folder, '-', ...acceptAll], { stdin: `${site.server.origin()}/\n` })
    const segment = join(folder, 'segments', linesOf(await runCommand(['generate', folder, ...acceptAll]))[0] ?? '')
    const list = readFileSync(join(segment, 'crawl_generate.ndjson'), 'utf8')
    await runCommand(['fetch', folder, ...options])
    await runCommand(['parse', folder, '--workers', '0', ...acceptAll])
    const same = ({ timing: _1, robotsFetchedMs: _2, content: _3, commit: _4, answer: _5, sideRequests: _6, ...outcome }: Record<string, unknown>) =>
      outcome
    const ofJob = readFileSync(join(segment, 'crawl_fetch.ndjson'), 'utf8').trimEnd().split('\n')
    const inLines = await fetchLines(list)
    const inFiles = await fetchLines(list, '--warc', warc)
    for (const run of [inLines, inFiles]) expect(linesOf(run).map(line => same(jsonOf(line)))).to.deep.equal(ofJob.map(line => same(jsonOf(line))))
    expect(inFiles.stdout).not.to.contain('"answer"')
    for await (const { error } of checkWarc(join(warc, 'content-00000.warc.gz'))) expect(error).to.equal(null)
    const [parsed, again] = [await parseLines(inLines.stdout), await parseLines(inFiles.stdout, '--warc', warc)]
    const withoutTiming = (text: string): string => text.replace(/"timing":\{[^}]*\}|"robotsFetchedMs":\d+|"sideRequests":\[[^\]]*\]/g, '')
    expect(withoutTiming(again.stdout)).to.equal(withoutTiming(parsed.stdout))
    const links = linesOf(parsed).filter(line => line.includes('"status":"linked"'))
    const ofCrawlParse = readFileSync(join(segment, 'crawl_parse.ndjson'), 'utf8')
      .trimEnd()
      .split('\n')
      .filter(line => line.includes('"linked"'))
    expect(links.map(line => [line.split('\t')[0], jsonOf(line).score])).to.deep.equal(
      ofCrawlParse.map(line => [line.split('\t')[0], jsonOf(line).score]),
    )
    const page = jsonOf(linesOf(parsed).find(line => line.includes('"title"')))
    expect(page).to.include({ status: 'success', title: 'Home' })
    expect(page.text).to.match(/one two three four five six/)
  })

  it('leave out lines that cannot be read, with their numbers, or fail with --strict', async () => {
    const run = await fetchLines(`no url\n${site.server.origin()}/near\n\x01\n`)
    expect(keysOf(run)).to.deep.equal([`${site.server.origin()}/near`])
    expect(run.log.filter(line => line.startsWith('warn line left out')).map(line => /"line":(\d+)/.exec(line)?.[1])).to.deep.equal(['1', '3'])
    expect(run.log.at(-1)).to.contain('"stage/unreadable":2')
    expect(await failureOf(fetchLines('no url\n', '--strict')))
      .to.have.property('message')
      .that.contains('line 1: no URL that can be crawled')
    const wrong = await parseLines('http://a.test/\t{"status":"fetch_success"}\nhttp://a.test/\n')
    expect(wrong.stdout).to.equal('')
    expect(wrong.log.at(-1)).to.contain('"stage/unreadable":2')
    expect(await failureOf(parseLines('http://a.test/\n', '--strict'))).to.have.property('code', 'LINE_INVALID')
  })

  it('parse goes on without a page whose content cannot be read', async () => {
    const [line = ''] = linesOf(await fetchLines(`${site.server.origin()}/near\n`))
    const { answer: _, ...outcome } = jsonOf(line)
    const lost = `${site.server.origin()}/near\t${JSON.stringify({ ...outcome, content: { file: 'gone.warc.gz', offsetBytes: 0, lengthBytes: 10 } })}\n`
    const run = await parseLines(lost + line)
    expect(linesOf(run).filter(text => text.includes('"title"'))).to.have.length(1)
    expect(run.log.at(-1)).to.contain('"parse/unreadable":1')
    expect(await failureOf(parseLines(lost, '--strict'))).to.have.property('code', 'SEGMENT_CORRUPT')
  })

  it('stand between pipes: fetched, parsed, sorted and reduced by four processes', async () => {
    const folder = newFolder()
    const flags = options.map(option => `'${option}'`).join(' ')
    const script = `printf '%s\\n' '${site.server.origin()}/' | millrace stage fetch -q ${flags} | millrace stage parse -q ${flags} | LC_ALL=C sort -t"$(printf '\\t')" -k1,1 | millrace reduce updatedb -q`
    const { status, stdout, stderr } = await runShell(script, {}, folder)
    expect(stderr).to.not.contain('ERROR')
    expect(status, stderr).to.equal(0)
    const statuses = stdout
      .trimEnd()
      .split('\n')
      .map(line => [line.slice(site.server.origin().length, line.indexOf('\t')), jsonOf(line).status])
    expect(statuses).to.deep.equal([
      ['/', 'db_fetched'],
      ['/calendar/2031', 'db_unfetched'],
      ['/deep/er/page', 'db_unfetched'],
      ['/near', 'db_unfetched'],
    ])
  })

  it('end quietly when their reader has gone', async () => {
    const many = Array.from({ length: 3000 }, (_, index) => `http://a.test/${index}\n`).join('')
    const folder = newFolder()
    writeFileSync(join(folder, 'urls'), many)
    const { stdout, status, stderr } = await runShell('cat urls | millrace normalize -q | head -n 2', {}, folder)
    expect({ status, stderr, lines: stdout.trimEnd().split('\n').length }).to.deep.equal({ status: 0, stderr: '', lines: 2 })
  })

  it('wait for no terminal: without input there is nothing to do', async () => {
    expect(await runCli(['stage', 'parse'], { stdin: '' })).to.include({ status: 0, stdout: '' })
  })
})
