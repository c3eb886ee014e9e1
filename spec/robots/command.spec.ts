import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { runCli } from '../support/cli.js'
import { startServer } from '../support/server.js'
import { useTempFolders } from '../support/temp-folder.js'

describe('millrace robots', () => {
  const makeFolder = useTempFolders()
  const fileWith = (text: string): string => {
    const file = join(makeFolder(), 'robots.txt')
    writeFileSync(file, text)
    return file
  }

  it('says what a file allows, by which line of which group', async () => {
    const file = fileWith('User-agent: *\nDisallow: /\n\nUser-agent: good\nDisallow: /private # not this\nCrawl-delay: 2.5\nSitemap: /map.xml\n')
    const result = await runCli(['robots', '--file', file, '--agent', 'Good/2.1', 'http://h.example/private/a', 'http://h.example/b'])
    expect(result.status).to.equal(0)
    const common = { group: 'good', crawlDelayMs: 2500, sitemaps: ['http://h.example/map.xml'] }
    expect(result.records()).to.deep.equal([
      { key: 'http://h.example/private/a', value: { ...common, allowed: false, rule: 'Disallow: /private', line: 5 } },
      { key: 'http://h.example/b', value: { ...common, allowed: true, rule: null, line: null } },
    ])
  })

  it('reads URLs from stdin, also as JSON strings', async () => {
    const file = fileWith('User-agent: *\nDisallow: /a')
    const plain = await runCli(['robots', '--file', file], { stdin: 'http://h.example/a\n\nhttp://h.example/b\n' })
    expect(plain.records<{ allowed: boolean }>().map(({ value }) => value.allowed)).to.deep.equal([false, true])
    const json = await runCli(['robots', '--file', file, '--input', 'json'], { stdin: '"http://h.example/a\\t"\nnonsense\n' })
    expect(json.records<{ allowed: boolean }>().map(({ key, value }) => [key, value.allowed])).to.deep.equal([['"http://h.example/a\\t"', false]])
    expect(json.stderr).to.match(/line=2/)
  })

  it('fetches what is not given, and no special address without leave', async () => {
    const server = await startServer({ routes: { '/robots.txt': { body: 'User-agent: testbot\nDisallow: /x' } } })
    const url = `${server.origin()}/x`
    const refused = await runCli(['robots', url])
    expect(refused.records<{ allowed: boolean; cause: string }>()[0]?.value).to.include({ allowed: false })
    expect(refused.stdout).to.match(/--allow-address/)
    expect(server.requests).to.deep.equal([])
    const fetched = await runCli(['robots', '--allow-address', 'loopback', '-D', 'http.agent.name=testbot', url, `${server.origin()}/y`])
    expect(fetched.records<{ allowed: boolean }>().map(({ value }) => value.allowed)).to.deep.equal([false, true])
    expect(server.requests).to.have.length(1)
    await server.close()
  })

  it('refuses a file that is not there', async () => {
    const result = await runCli(['robots', '--file', join(makeFolder(), 'none'), 'http://h.example/'])
    expect(result.status).to.equal(2)
    expect(result.stderr).to.match(/none/)
  })
})
