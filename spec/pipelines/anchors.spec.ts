import { expect } from 'chai'
import { configWith } from '../../lib/config/resolve-config.js'
import type { StoredLink } from '../../lib/linkdb/links-codec.js'
import { withLinkDb } from '../../lib/linkdb/open.js'
import { systemClock } from '../../lib/log/clock.js'
import { storedUrl } from '../../lib/record/url.js'
import { keyOfUrl } from '../../lib/record/url-key.js'
import { crawlOptions } from '../support/crawled-folder.js'
import { runCommand } from '../support/run-command.js'
import { startServer } from '../support/server.js'
import { useTempFolders } from '../support/temp-folder.js'

const [source, target] = ['http://a.test/', 'http://b.test/']
const linksBy = (...anchors: string[]): StoredLink[] => anchors.map(anchor => ({ to: keyOfUrl(storedUrl(target)), anchor }))

describe('A page that links to another by several anchors', () => {
  const newFolder = useTempFolders()
  const { db } = configWith()

  it('has an inlink for each, as in Nutch, once', async () => {
    const links = ['Co-op', 'Tutors', '', 'Tutors'].map(anchor => `<a href="${target}">${anchor}<img src=/x.gif></a>`).join('')
    const server = await startServer({
      routes: { '/robots.txt': { status: 404 }, '/': { body: links }, '/more': { body: `<a href="${target}">Tutors</a>` } },
    })
    try {
      const crawl = newFolder()
      const seeds = [`${server.origin()}/`, `${server.origin()}/more`]
      await runCommand(['crawl', crawl, ...seeds, '--rounds', '1', ...crawlOptions(newFolder())], { clock: systemClock })
      const inlinks = ['/ anchor: ', '/ anchor: Co-op', '/ anchor: Tutors', '/more anchor: Tutors'].map(
        text => `fromUrl: ${server.origin()}${text}\n`,
      )
      expect((await runCommand(['readlinkdb', crawl, '--url', target])).stdout).to.equal(inlinks.join(''))
      const limited = await runCommand(['readlinkdb', crawl, '--url', target, '-D', 'linkdb.max.inlinks=2'])
      expect(limited.stdout).to.equal(inlinks.slice(0, 2).join(''))
      expect((await runCommand(['doctor', crawl])).status).to.equal(0)

      const merged = newFolder()
      await runCommand(['mergelinkdb', merged, crawl])
      expect((await runCommand(['readlinkdb', merged, '--url', target])).stdout).to.equal(inlinks.join(''))
    } finally {
      await server.close()
    }
  })

  it('takes back the anchors that it no longer has', async () => {
    const key = keyOfUrl(storedUrl(source))
    await withLinkDb({ folder: newFolder(), config: db, isCreating: true }, async linkDb => {
      const anchors = async (): Promise<string[]> => {
        const found: string[] = []
        for await (const { anchor } of linkDb.inlinks(storedUrl(target))) found.push(anchor)
        return found
      }
      const steps = [linksBy('', 'one', 'two'), linksBy('two'), linksBy('', 'two'), linksBy(''), linksBy('', 'last'), []]
      let old: readonly StoredLink[] | undefined
      for (const next of steps) {
        await linkDb.commits.run(() => linkDb.commit([{ key, old, next }]))
        expect(await anchors()).to.deep.equal(next.map(({ anchor }) => anchor))
        old = next
      }
    })
  })

  it('is one line of reduce for each, whatever the order in which they come', async () => {
    const line = (from: string, anchor: string): string => `${target}\t${JSON.stringify({ status: 'linked', from, anchor, score: 0 })}\n`
    const lines = [line('http://c.test/', 'x'), line(source, 'two'), line(source, ''), line(source, 'one'), line(source, 'two')]
    for (const stdin of [lines, lines.toReversed()]) {
      const { stdout } = await runCommand(['reduce', 'invertlinks'], { stdin: stdin.join('') })
      const inlinks = [
        [source, ''],
        [source, 'one'],
        [source, 'two'],
        ['http://c.test/', 'x'],
      ].map(([from, anchor]) => ({ from, anchor }))
      expect(stdout).to.equal(`${target}\t${JSON.stringify({ inlinks })}\n`)
    }
  })
})
