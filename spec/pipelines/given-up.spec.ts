import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { runCommand } from '../support/run-command.js'
import { startServer } from '../support/server.js'
import { useTempFolders } from '../support/temp-folder.js'

interface Totals {
  readonly counts: Readonly<Record<string, number>>
}

describe('a crawl that leaves pages that were due', function () {
  this.timeout(20_000)
  const newFolder = useTempFolders()

  for (const { why, options, counter, says } of [
    {
      why: 'a host that fails again and again',
      options: ['fetcher.max.exceptions.per.queue=2', 'fetcher.exceptions.per.queue.delay=0.01'],
      counter: 'fetch/queues_given_up',
      says: /given up after failures in a row/,
    },
    {
      why: 'a host that asks for a long wait',
      options: ['fetcher.queue.hold.max=1'],
      counter: 'fetch/queues_held',
      says: undefined,
    },
    {
      why: 'the time limit of a fetch',
      options: ['fetcher.timelimit.mins=0', 'fetcher.server.delay=1'],
      counter: 'fetch/ended_by_time',
      says: /fetcher\.timelimit\.mins/,
    },
  ])
    it(`says so: ${why}`, async () => {
      const server = await startServer({ routes: { '/robots.txt': { status: 404 }, '/*': { status: 503, headers: { 'retry-after': '60' } } } })
      const failing = await startServer({ routes: { '/robots.txt': { status: 404 }, '/*': { status: 500 } } })
      const folder = newFolder()
      writeFileSync(join(folder, 'rules.txt'), '+.\n')
      const { origin } = counter === 'fetch/queues_given_up' ? failing : server
      const seeds = Array.from({ length: 6 }, (_, index) => `${origin()}/${index}`)
      const given = ['fetcher.server.delay=0', 'millrace.workers=0', ...options].flatMap(option => ['-D', option])
      const argv = ['crawl', join(folder, 'crawl'), ...seeds, '--rounds', '1', '--allow-address', 'loopback', '--rules', join(folder, 'rules.txt')]
      const { status, stdout, log } = await runCommand([...argv, ...given])
      await Promise.all([server.close(), failing.close()])
      expect(status).to.equal(0)
      expect((JSON.parse(stdout) as Totals).counts).to.include({ [counter]: 1 })
      if (says !== undefined) expect(log.filter(line => says.test(line))).to.have.length(1)
    })
})
