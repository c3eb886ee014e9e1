import { expect } from 'chai'
import { runCommand } from '../../support/run-command.js'
import { startServer } from '../../support/server.js'
import { useTempFolders } from '../../support/temp-folder.js'

describe('explain, of a robots.txt that was moved', () => {
  const newFolder = useTempFolders()

  for (const { location, why } of [
    { location: '/moved.txt', why: 'a plain path' },
    { location: ' moved.txt', why: 'a relative one behind a blank' },
    { location: Buffer.from('/mövéd.txt').toString('latin1'), why: 'bytes of UTF-8, as some servers send them' },
  ])
    it(`follows it as the fetcher did: ${why}`, async () => {
      const server = await startServer({
        routes: { '/robots.txt': { status: 301, headers: { location } }, '/m*': { body: 'User-agent: *\nDisallow: /x' }, '/*': { body: 'fine' } },
      })
      const folder = newFolder()
      const url = `${server.origin()}/x`
      await runCommand([
        'crawl',
        folder,
        url,
        '--rounds',
        '1',
        '--allow-address',
        'loopback',
        '-D',
        'millrace.workers=0',
        '-D',
        'fetcher.server.delay=0',
      ])
      await server.close()
      expect(server.requests.map(({ target }) => target)).not.to.include('/x')
      const { robots } = (await runCommand(['explain', folder, url, '--json'])).json<{ robots?: object }>()
      expect(robots).to.include({ allowed: false, line: 2, rule: 'Disallow: /x' })
    })
})
